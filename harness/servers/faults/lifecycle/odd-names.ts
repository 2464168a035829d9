import type { JsonObject, Message } from "@bufbuild/protobuf";
import { readField } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type Change, inObject, inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsOf, inEach } from "../table.ts";

const inLowerCase: Change = (name) => String(name).toLowerCase();
/** With a question mark for each letter that ASCII does not have: what a store or a driver of another character set leaves. */
const inAscii: Change = (name) => String(name).replaceAll(/\P{ASCII}/gu, "?");
/** The same for each letter beyond the basic plane. */
const inBasicPlane: Change = (name) => String(name).replaceAll(/[\u{10000}-\u{10ffff}]/gu, "?");
const asHtml: Change = (name) => String(name).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const trimmed: Change = (name) => String(name).trim();

/** Takes a name of a zero for none, and leaves the name as it was. */
const zeroIsNone = wrapping((next) => (context, request) => {
  const { subject } = context;
  const isZero = subject !== undefined && readField(request as Message, "name") === "0";
  return next(context, isZero ? ({ ...request, name: readField(subject, "name") } as Message) : request);
});

/** Takes names of 200 letters at most, and stores 128 of them. */
const storedCut = wrapping((next) => (context, request) => {
  const name = String(readField(request as Message, "name"));
  if (name.length > 200) refuse("INVALID_ARGUMENT", "the name is too long");
  return next(context, { ...request, name: name.slice(0, 128) } as Message);
});

/** Takes a dollar for the beginning of a variable, of which there is none. */
const withoutDollars = wrapping(
  (next) => (context, request) =>
    next(context, { ...request, name: String(readField(request as Message, "name")).replaceAll("$", "") } as Message),
);

/** What was changed since it was made, with its name in lower case. */
const lowerOnceChanged = (record: JsonObject): JsonObject =>
  record.updatedAt === record.createdAt ? record : { ...record, name: String(record.name).toLowerCase() };

/** Listings show names in a way of their own. */
const listed = (path: string) => ({
  "names-in-lower-case": ["shows names in lower case", inReply(`${path}.name`, inLowerCase)] as const,
  "names-trimmed": ["shows names without the spaces at their ends", inReply(`${path}.name`, trimmed)] as const,
  "names-in-the-basic-plane": [
    "shows letters beyond the basic plane as question marks",
    inReply(`${path}.name`, inBasicPlane),
  ] as const,
  "names-as-html": ["shows names as a page of HTML has them", inReply(`${path}.name`, asHtml)] as const,
});

/** Names that only look like none, or that are shown in another spelling by some of the RPCs. */
export const oddNameFaults: readonly Fault[] = [
  ...faultsOf("lifecycle", "alpha.v1", {
    "*.records.echo": {
      "UpdateWebhookEndpoint-zero-is-no-name": ["leaves the name as it was where the new one is a zero", zeroIsNone],
      "CreateSecret-names-without-dollars": ["stores a name without its dollars", withoutDollars],
      "CreateArtifactUpload-names-of-128-letters": ["cuts a name of up to 200 letters after 128", storedCut],
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
