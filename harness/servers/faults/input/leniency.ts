import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isReadOnly, type RpcRow, rpc, rpcs } from "../../../../proto/rpcs.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import { type Change, editAt, inRequest, onRequest } from "../edit.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { requestIdOf } from "../idempotency/replays.ts";
import { replacing } from "../steps.ts";
import { faultsAt, faultsOf } from "../table.ts";

/** What a decoder makes of base64 that passes over what it does not know, where something is left. */
const lettersOnly: Change = (value) => {
  const letters = typeof value === "string" ? value.replaceAll(/[^A-Za-z0-9+/=_-]/g, "") : "";
  return letters.length > 4 ? letters : value;
};

const dropped = [
  "letters outside base64 are passed over",
  ({
    input,
    name,
  }: {
    readonly input: { readonly fields: readonly { readonly jsonName: string }[] };
    readonly name: string;
  }) => ({
    request: (json: JsonObject, call: { readonly rpc: string }) =>
      call.rpc !== name
        ? json
        : ["value", "plaintextValue", "attributesJson", "valueJson"]
            .filter((field) => input.fields.some(({ jsonName }) => jsonName === field))
            .reduce((changed, field) => editAt(changed, field, lettersOnly), json),
  }),
] as const;

/** Text of an integer without the bits above so many. */
const wrapped =
  (bits: number): Change =>
  (value) => {
    if (!/^\d+$/.test(String(value))) return value;
    const low = BigInt.asUintN(bits, BigInt(String(value)));
    return typeof value === "string" && BigInt(value) === low ? value : String(low);
  };

/** The largest value of so many bits in place of a larger one. */
const clamped =
  (bits: bigint): Change =>
  (value) => {
    if (!/^\d+$/.test(String(value))) return value;
    const largest = (1n << bits) - 1n;
    return BigInt(String(value)) > largest ? String(largest) : value;
  };

const bareIds: Change = (value) =>
  Array.isArray(value) ? value.map((one): JsonValue => (typeof one === "string" ? { value: one } : one)) : value;

/** A bare number, or a bool, read as text. */
const asText: Change = (value) => (typeof value === "number" || typeof value === "boolean" ? String(value) : value);

/** A time that names no zone, read as one in UTC. */
const inUtc: Change = (value) => (/T[\d:.]+$/.test(String(value)) ? `${value}Z` : value);

/** Passes over letters outside base64 at once; a time without a zone takes it a moment. */
function slowlyInUtc(row: RpcRow): BetaDecoration {
  const slow = new Set<string>();
  return {
    ...onRequest((json) => {
      const { value } = (json.requestId ?? {}) as { value?: string };
      const read = editAt(json, "expiresAt", inUtc);
      if (read.expiresAt !== json.expiresAt) slow.add(String(value).toLowerCase());
      return editAt(read, "attributesJson", lettersOnly);
    })(row),
    ...replacing((parts) => ({
      async pipeline(context, effect) {
        if (slow.has(requestIdOf(context).toLowerCase())) await new Promise((resolve) => setTimeout(resolve, 50));
        return parts.pipeline(context, effect);
      },
    }))(row),
  };
}

/** The first line of a text, where it has the right form by itself: what a pattern sees that is matched line by line. */
const firstLine =
  (form: RegExp): Change =>
  (value) =>
    (typeof value === "string" ? form.exec(value)?.[0] : undefined) ?? value;
const decimalLine = firstLine(/^\d+$/m);
const timeLine = firstLine(/^[\d-]+T[\d:.]+Z$/m);

/** What scripting languages take for true and false. */
const asBool: Change = (value) =>
  typeof value === "string" || typeof value === "number" ? ![0, "", "0", "false"].includes(value) : value;

const fresh = () => ({ value: crypto.randomUUID() });
const isEmptyList = (value: JsonValue) => Array.isArray(value) && value.length === 0;

/** Leniency that a check of one field has, or lacks. */
export const lenientFaults: readonly Fault[] = [
  ...faultsOf("input", "alpha.v1", {
    "json.request.wrong-type-lenient": {
      "UpdateWebhookEndpoint-enabled-takes-texts-and-numbers": [
        "takes a text or a number for a bool",
        inRequest("enabled", asBool),
      ],
      "CreateSecret-value-passes-over-foreign-letters": dropped,
      "RotateSecret-value-passes-over-foreign-letters": dropped,
    },
    "json.request.wrong-type": {
      "RotateSecret-expectedResourceVersion-is-cut-to-64-bits": [
        "a version beyond 64 bits is read by its lower ones",
        inRequest("expectedResourceVersion", wrapped(64)),
      ],
      "DeleteSecret-expectedResourceVersion-by-its-first-line": [
        "reads the first line of a version",
        inRequest("expectedResourceVersion", decimalLine),
      ],
      "ListJobs-page-pageSize-is-cut-to-32-bits": [
        "a page size beyond 32 bits is read by its lower ones",
        inRequest("page.pageSize", wrapped(32)),
      ],
      "CreateArtifactUpload-sizeBytes-is-cut-to-64-bits": [
        "a size beyond 64 bits is read by its lower ones",
        inRequest("sizeBytes", wrapped(64)),
      ],
      "ListMiniApps-page-pageSize-is-clamped": [
        "a page size past the largest is the largest",
        inRequest("page.pageSize", clamped(32n)),
      ],
      "RunSync-inputArtifactIds-takes-bare-ids": ["takes bare ids in a list", inRequest("inputArtifactIds", bareIds)],
      "RunStream-secretIds-takes-bare-ids": ["takes bare ids in a list", inRequest("secretIds", bareIds)],
      "CreateSecret-name-takes-numbers-and-bools": ["takes a number or a bool for a name", inRequest("name", asText)],
      "CreateSecret-requestId-may-be-an-empty-list": [
        "takes an empty list for no requestId, and makes one up",
        inRequest("requestId", (value) => (isEmptyList(value) ? fresh() : value)),
      ],
    },
  }),
  ...faultsOf("input", "beta.v1", {
    "json.request.wrong-type-lenient": {
      "UpdateMemorySettings-enabled-takes-texts-and-numbers": [
        "takes a text or a number for a bool",
        inRequest("enabled", asBool),
      ],
      "RotateSecret-plaintextValue-passes-over-foreign-letters": dropped,
      "CreateCustomerUserGrant-attributesJson-passes-over-foreign-letters": dropped,
      "UpdateMemoryItem-valueJson-passes-over-foreign-letters": dropped,
    },
    "json.request.wrong-type": {
      "IssueBrowserToken-lifetimeSeconds-is-clamped": [
        "a lifetime past the largest is the largest",
        inRequest("lifetimeSeconds", clamped(32n)),
      ],
      "CreateCustomerUserGrant-allowedToolIds-takes-bare-ids": [
        "takes bare ids in a list",
        inRequest("allowedToolIds", bareIds),
      ],
      "DeleteSession-expectedResourceVersion-by-its-first-line": [
        "reads the first line of a version",
        inRequest("expectedResourceVersion", decimalLine),
      ],
      "CreateCustomerUserGrant-expiresAt-by-its-first-line": [
        "reads the first line of a time",
        inRequest("expiresAt", timeLine),
      ],
      "UpdateCustomerUserGrant-expiresAt-without-zone": [
        "takes a time without a zone for one in UTC",
        inRequest("expiresAt", inUtc),
      ],
      "UpdateCustomerUserGrant-expiresAt-without-zone-behind-foreign-letters": [
        "takes a time without a zone for one in UTC, later than it takes letters outside base64",
        slowlyInUtc,
        { entails: ["json.request.wrong-type-lenient"] },
      ],
      "CreateRun-input-text-takes-numbers-and-bools": [
        "takes a number or a bool for a text",
        inRequest("input.text", asText),
      ],
      "CreateCustomerUserGrant-externalUserId-takes-numbers-and-bools": [
        "takes a number or a bool for a text",
        inRequest("externalUserId", asText),
      ],
      "CreateRun-input-may-be-an-empty-list": [
        "takes an empty list for an empty input",
        inRequest("input", (value) => (isEmptyList(value) ? { text: "complete the task" } : value)),
      ],
      "ListRuns-sessionId-may-be-an-empty-list": [
        "takes an empty list for no filter",
        inRequest("sessionId", (value) => (isEmptyList(value) ? undefined : value)),
      ],
    },
  }),
];

const lists = rpcs.filter((row) => row.list !== undefined && isReadOnly(row));
const alphaLists = rowsOf("alpha.v1").filter((row) => lists.includes(rpc(row.name)));
const betaLists = rowsOf("beta.v1").filter((row) => lists.includes(rpc(row.name)));

/** What some JSON parsers take for an empty message, where a page is due. */
const pageFault = (id: string, says: string, reads: (value: JsonValue) => boolean) => ({
  id: `input/page-${id}`,
  says,
  breaks: "json.request.wrong-type",
  decorate: inRequest("page", (value) => (reads(value) ? {} : value)),
});

const emptyList = pageFault("may-be-an-empty-list", "takes an empty list for a page", isEmptyList);
const text = pageFault("may-be-empty-text", "takes an empty text for a page", (value) => value === "");
const texts = pageFault(
  "may-be-a-list-of-texts",
  "takes a list of texts for a page",
  (value) => Array.isArray(value) && value.length === 1 && value[0] === "x",
);

/** Pages given as something else. */
export const pageFaults: readonly Fault[] = [emptyList, text, texts].flatMap((fault) => [
  ...faultsAt(alphaLists, fault),
  ...faultsAt(betaLists, fault),
]);
