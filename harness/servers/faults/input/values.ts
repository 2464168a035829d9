import type { DescMethod, MessageShape } from "@bufbuild/protobuf";
import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { CatalogService } from "../../../../proto/gen/alpha/v1/catalog_service_pb.js";
import { SecretService } from "../../../../proto/gen/alpha/v1/secret_service_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { CustomerSecretService } from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import type { Context } from "../../reference/core/context.ts";
import { nameOf } from "../../reference/core/decoration.ts";
import { refuseFields } from "../../reference/core/refusal.ts";
import { type AlphaDecoration, type AlphaWorld, aroundBeta } from "../../reference/main.ts";
import { type Change, inReply, inRequest, onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { onText } from "../values.ts";

const ascii = onText((name) => name.replaceAll(/[^ -~]/g, "?"));

const storing = (change: Change) => inRequest("name", change);
const storedAsAscii = ["a name is stored as ASCII", storing(ascii)] as const;
const cutAtZero = [
  "a name is cut at a zero character",
  storing(onText((name) => name.split("\u0000")[0] ?? "")),
] as const;

/** Looks at the requests of a method before they are served; it may throw. */
function checking<M extends DescMethod>(
  method: M,
  check: (request: MessageShape<M["input"]>, context: Context<AlphaWorld>) => void,
): AlphaDecoration {
  return {
    handlers: {
      [nameOf(method)]: (next) => (context, request) => {
        check(request as MessageShape<M["input"]>, context);
        return next(context, request);
      },
    },
  };
}

const { createSecret, rotateSecret, listSecrets } = SecretService.method;

/** Values that are refused, or kept otherwise than they were sent. */
export const valueFaults: readonly Fault[] = faultsOf("input", "alpha.v1", {
  "*.wire.bytes": {
    "CreateSecret-secret-in-hexadecimal": [
      "a secret is read as hexadecimal, and refused where it is not",
      onRequest((json) => (/^([0-9a-f]{2})+$/i.test(String(json.value)) ? json : { ...json, value: "!" })),
    ],
  },
  "*.wire.any-bytes": {
    "CreateSecret-secret-with-nul-refused": [
      "a secret with a zero byte is refused",
      checking(createSecret, ({ value }) => {
        if (value.includes(0)) refuseFields({ field: "value", description: "holds a zero byte" });
      }),
    ],
    "RotateSecret-secret-that-is-no-text-refused": [
      "a secret that is not ASCII is refused",
      checking(rotateSecret, ({ value }) => {
        if (value.some((byte) => byte > 0x7f)) refuseFields({ field: "value", description: "is no text" });
      }),
    ],
  },
  "*.records.echo": {
    "CreateSecret-name-stored-as-ASCII": storedAsAscii,
    "CreateArtifactUpload-name-stored-as-ASCII": storedAsAscii,
    "CreateWebhookEndpoint-name-cut-at-a-zero-character": cutAtZero,
    "UpdateWebhookEndpoint-name-cut-at-a-zero-character": cutAtZero,
  },
  "*.records.agree": {
    "GetSecret-name-read-as-ascii": ["a name is shown as ASCII when it is read", inReply("secret.name", ascii)],
  },
});

/** Values at the edge that end in a server error. */
export const edgeFaults: readonly Fault[] = faultsOf("input", "alpha.v1", {
  "json.request.no-server-error": {
    "CreateSecret-name-beyond-the-basic-plane-fails": [
      "a name beyond the basic plane is a server error",
      checking(createSecret, ({ name }) => {
        if (/[\u{10000}-\u{10ffff}]/u.test(name)) throw new Error("the table holds three bytes a character");
      }),
    ],
    "ListSecrets-large-page-fails": [
      "a large page size is a server error",
      checking(listSecrets, ({ page }) => {
        if ((page?.pageSize ?? 0) > 1000) throw new Error("out of memory");
      }),
    ],
    "CreateArtifactUpload-large-size-fails": [
      "a size past 2^31 is a server error",
      checking(ArtifactService.method.createArtifactUpload, ({ sizeBytes }) => {
        if (sizeBytes >= 2n ** 31n) throw new Error("integer out of range");
      }),
    ],
    "GetMiniApp-left-out-id-fails": [
      "a request without its id is a server error",
      (row) => ({
        ...replacing(() => ({ validate() {} }))(row),
        ...checking(CatalogService.method.getMiniApp, ({ miniAppId }) => {
          if (miniAppId === "") throw new Error("cannot read properties of undefined");
        }),
      }),
    ],
    "ListWebhookEndpoints-unknown-field-fails": [
      "an unknown field is a server error",
      checking(WebhookService.method.listWebhookEndpoints, (_request, { call }) => {
        const known = new Set(WebhookService.method.listWebhookEndpoints.input.fields.map((field) => field.jsonName));
        if (Object.keys(call.request).some((name) => !known.has(name))) throw new Error("unexpected property");
      }),
    ],
    "RotateSecret-empty-secret-fails": [
      "an empty secret is a server error",
      checking(rotateSecret, ({ value }) => {
        if (value.length === 0) throw new Error("nothing to seal");
      }),
    ],
  },
});

/** Values that are refused for what bytes they are. */
export const byteFaults: readonly Fault[] = faultsOf("input", "beta.v1", {
  "*.wire.any-bytes": {
    "CreateSecret-secret-that-is-no-text-refused": [
      "a secret that is not ASCII is refused",
      {
        handlers: aroundBeta(CustomerSecretService.method.createSecret, (next) => (context, request) => {
          if (request.plaintextValue.some((byte) => byte > 0x7f))
            refuseFields({ field: "plaintextValue", description: "is no text" });
          return next(context, request);
        }),
      },
    ],
  },
});
