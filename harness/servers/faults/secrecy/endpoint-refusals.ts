import type { JsonObject, Message } from "@bufbuild/protobuf";
import { recordFields } from "../../../../proto/resources.ts";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { readField, readId } from "../../reference/core/fields.ts";
import { refuse, refuseFields } from "../../reference/core/refusal.ts";
import { type SigningWorld, signingSecretsOf } from "../../reference/core/signing-secrets.ts";
import { deliveredTo } from "../events/endpoints.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { idIn, recordIn, replacing, wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { repeating } from "./replays.ts";

/** The signing secret of an endpoint; empty where there is none. */
const secretOf = ({ world }: Context, endpoint: string) =>
  signingSecretsOf(world as unknown as SigningWorld, endpoint)[0] ?? "";

/** Refuses to send to an endpoint that is disabled, and quotes the endpoint with its secret. */
const quotingDisabled = (row: RpcRow): EitherDecoration =>
  wrapping((next) => (context, request) => {
    const endpoint = idIn(context.subject as Message, deliveredTo[row.package]);
    const entry = context.world.tables.webhook_endpoint?.find(endpoint);
    if (entry !== undefined && !entry.deleted && readField(entry.record, "enabled") === false) {
      refuse("FAILED_PRECONDITION", `the endpoint ${secretOf(context, endpoint)} is disabled`);
    }
    return next(context, request);
  })(row);

/** Refuses a url that is none, and quotes the endpoint with its secret. */
const quotingOddUrls = replacing(({ validate }) => ({
  validate(context) {
    const { request, row } = context;
    const [url, named] = [String(readField(request, "url")), row.ids.find(({ facts }) => facts.names === row.subject)];
    if (url !== "" && !URL.canParse(url)) {
      const secret = secretOf(context, readId(request, named) ?? "");
      refuseFields({ field: "url", description: `is no url for the endpoint ${secret}` });
    }
    validate(context);
  },
}));

const quoting = {
  "*.webhooks.secret-elsewhere": {
    "RedeliverWebhookDelivery-quotes-secret-of-disabled": [
      "quotes the signing secret of an endpoint that is disabled",
      quotingDisabled,
    ],
    "UpdateWebhookEndpoint-quotes-secret-for-odd-url": [
      "quotes the signing secret where it refuses a url",
      quotingOddUrls,
    ],
  },
} as const;

/** What a rotation issued is given again in replays that come while the endpoint is disabled. */
const repeatingWhileDisabled = replacing(({ idempotent }) => ({
  async idempotent(context, effect) {
    const reply = await idempotent(context, effect);
    const made = recordIn(context, reply);
    const id = made === undefined ? "" : idIn(made, recordFields(context.row).id);
    const now = context.world.tables.webhook_endpoint?.find(id);
    if (now === undefined || now.deleted || readField(now.record, "enabled") !== false) return reply;
    return { ...reply, signingSecret: secretOf(context, id) };
  },
}));

/** What a rotation issued while the endpoint was disabled is kept with its reply, and given again in replays. */
const keptWhereDisabled = repeating(
  (_issued, _call, { webhookEndpoint }) => (webhookEndpoint as JsonObject).enabled !== true,
);

/** Refusals and replays about endpoints that tell their signing secret. */
export const endpointRefusalFaults: readonly Fault[] = [
  ...faultsOf("secrecy", "alpha.v1", quoting),
  ...faultsOf("secrecy", "beta.v1", {
    ...quoting,
    "*.credentials.once": {
      "RotateWebhookSecret-repeated-while-disabled": [
        "gives the plaintext again in a replay while the endpoint is disabled",
        repeatingWhileDisabled,
      ],
      "RotateWebhookSecret-kept-where-disabled": [
        "gives the plaintext again in replays of a rotation while the endpoint was disabled",
        keptWhereDisabled,
      ],
    },
  }),
];
