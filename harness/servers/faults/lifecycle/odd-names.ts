import type { JsonObject, Message } from "@bufbuild/protobuf";
import { readField } from "../../reference/core/fields.ts";
import { type Change, inObject, inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsOf, inEach } from "../table.ts";

const inLowerCase: Change = (name) => String(name).toLowerCase();
/** With a question mark for each letter that ASCII does not have: what a store or a driver of another character set leaves. */
const inAscii: Change = (name) => String(name).replaceAll(/\P{ASCII}/gu, "?");
const trimmed: Change = (name) => String(name).trim();

/** Takes a name of a zero for none, and leaves the name as it was. */
const zeroIsNone = wrapping((next) => (context, request) => {
  const { subject } = context;
  const isZero = subject !== undefined && readField(request as Message, "name") === "0";
  return next(context, isZero ? ({ ...request, name: readField(subject, "name") } as Message) : request);
});

/** What was changed since it was made, with its name in lower case. */
const lowerOnceChanged = (record: JsonObject): JsonObject =>
  record.updatedAt === record.createdAt ? record : { ...record, name: String(record.name).toLowerCase() };

/** Listings show names in a way of their own. */
const listed = (path: string) => ({
  "names-in-lower-case": ["shows names in lower case", inReply(`${path}.name`, inLowerCase)] as const,
  "names-trimmed": ["shows names without the spaces at their ends", inReply(`${path}.name`, trimmed)] as const,
});

/** Names that only look like none, or that are shown in another spelling by some of the RPCs. */
export const oddNameFaults: readonly Fault[] = [
  ...faultsOf("lifecycle", "alpha.v1", {
    "*.records.echo": {
      "UpdateWebhookEndpoint-zero-is-no-name": ["leaves the name as it was where the new one is a zero", zeroIsNone],
    },
    "*.records.agree": {
      ...inEach(
        { ListSecrets: "secrets[]", ListArtifacts: "artifacts[]", ListWebhookEndpoints: "endpoints[]" },
        listed,
      ),
      ...inEach(
        { RotateSecret: "secret", RotateWebhookSecret: "endpoint", CompleteArtifactUpload: "artifact" },
        (path) => ({
          "name-in-ascii": ["shows a name without its letters beyond ASCII", inReply(`${path}.name`, inAscii)],
        }),
      ),
      "GetWebhookEndpoint-lower-case-once-updated": [
        "shows names in lower case once the endpoint was updated",
        inObject("endpoint", lowerOnceChanged),
      ],
    },
  }),
  ...faultsOf("lifecycle", "beta.v1", {
    "*.records.agree": {
      ...inEach({ ListSecrets: "secrets[]" }, listed),
      "RotateSecret-name-in-ascii": ["shows a name without its letters beyond ASCII", inReply("secret.name", inAscii)],
    },
  }),
];
