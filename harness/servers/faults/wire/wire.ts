import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { PlainResponse } from "../../reference/core/decoration.ts";
import { forRpc } from "../../reference/core/decoration.ts";
import { editAt } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

type DetailRow = readonly [
  id: string,
  says: string,
  breaks: string,
  rpc: string,
  change: (detail: JsonObject) => JsonObject,
];

const violated = (change: (violation: JsonObject) => JsonObject) => (detail: JsonObject) =>
  editAt(detail, "fieldViolations[]", (value) => change(value as JsonObject));

/** The readable form of an ErrorDetail with one thing wrong. */
const details: readonly DetailRow[] = [
  [
    "detail-reason-undeclared",
    "the reason of a refusal is none of the listed",
    "alpha.errors.detail",
    "SecretService/GetSecret",
    (detail) => ({ ...detail, reason: "ERROR_REASON_NOT_TODAY" }),
  ],
  [
    "detail-reason-unprefixed",
    "the reason of a refusal lacks its prefix",
    "alpha.errors.detail",
    "JobService/CancelJob",
    (detail) => ({ ...detail, reason: String(detail.reason).replace("ERROR_REASON_", "") }),
  ],
  [
    "detail-without-reason",
    "a refusal gives the unspecified reason",
    "alpha.errors.detail",
    "WebhookService/UpdateWebhookEndpoint",
    (detail) => ({ ...detail, reason: "ERROR_REASON_UNSPECIFIED" }),
  ],
  [
    "detail-retry-after-as-text",
    "the delay of a refusal is a string",
    "alpha.errors.detail",
    "ArtifactService/DeleteArtifact",
    (detail) => ({ ...detail, retryAfterSeconds: "1" }),
  ],
  [
    "detail-guidance-undeclared",
    "the guidance of a refused stream is none of the listed",
    "alpha.errors.detail",
    "JobService/WatchJob",
    (detail) => ({ ...detail, retryGuidance: "RETRY_GUIDANCE_MAYBE" }),
  ],
  [
    "detail-request-id-of-another",
    "a refusal names another request",
    "alpha.errors.request-id",
    "SecretService/RotateSecret",
    (detail) => ({ ...detail, requestId: { value: "01890a5d-ac96-774b-bcce-b302099a8057" } }),
  ],
  [
    "detail-request-id-missing",
    "a refusal does not name its request",
    "alpha.errors.request-id",
    "WebhookService/DeleteWebhookEndpoint",
    ({ requestId: _, ...detail }) => detail,
  ],
  [
    "violation-without-field",
    "a field violation does not say which field",
    "alpha.errors.violations",
    "SecretService/CreateSecret",
    violated(({ field: _, ...violation }) => violation),
  ],
  [
    "violation-without-description",
    "a field violation does not say what is wrong",
    "alpha.errors.violations",
    "CatalogService/GetMiniApp",
    violated(({ field }) => ({ field: field ?? "" })),
  ],
];

/** An Error with every detail of it changed in its JSON. */
export function detailChanged(error: JsonObject, change: (detail: JsonObject) => JsonObject): JsonObject {
  return editAt(error, "details[]", (detail) =>
    editAt(detail as JsonObject, "debug", (debug) => change(debug as JsonObject)),
  );
}

export const errorDetailFaults: readonly Fault[] = details.map(([id, says, breaks, rpc, change]) =>
  defineFault({
    id: `wire/${id}`,
    says: `${says} (${rpc})`,
    breaks,
    rpc: `alpha.v1.${rpc}`,
    decoration: { error: forRpc(`alpha.v1.${rpc}`, (error: JsonObject) => detailChanged(error, change)) },
  }),
);

/** JSON text in which the first member of every object stands twice. */
function doubled(json: JsonValue): string {
  if (Array.isArray(json)) return `[${json.map(doubled).join(",")}]`;
  if (typeof json !== "object" || json === null) return JSON.stringify(json);
  const members = Object.entries(json).map(([key, value]) => `${JSON.stringify(key)}:${doubled(value)}`);
  return `{${[...members.slice(0, 1), ...members].join(",")}}`;
}

function withDoubledKeys(response: PlainResponse): PlainResponse {
  const json = JSON.parse(Buffer.from(response.body).toString("utf8")) as JsonValue;
  return { ...response, body: Buffer.from(doubled(json)) };
}

const doubledRows = [
  "JobService/GetJob",
  "WebhookService/ListWebhookEndpoints",
  "ArtifactService/CreateArtifactUpload",
];

export const duplicateKeys: readonly Fault[] = doubledRows.map((rpc) =>
  defineFault({
    id: `wire/${rpc.slice(rpc.indexOf("/") + 1)}-duplicate-keys`,
    says: `a key stands twice in an object (${rpc})`,
    breaks: "json.reply.duplicate-keys",
    rpc: `alpha.v1.${rpc}`,
    decoration: {
      http: forRpc(`alpha.v1.${rpc}`, (response: PlainResponse) =>
        response.status === 200 ? withDoubledKeys(response) : response,
      ),
    },
  }),
);
