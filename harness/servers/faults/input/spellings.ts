import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsAt, faultsOf } from "../table.ts";
import { without } from "../values.ts";

/** Something no request of its RPC can be: what refuses a spelling is put in its place. */
const unreadable = Buffer.from('"a spelling this server does not know"');

/** Refuses what a request's text looks like. */
const refusingText =
  (looks: (text: string) => boolean) =>
  ({ name }: RpcRow): WireHooks => ({
    requestBytes: (bytes, call) =>
      call.rpc === name && looks(Buffer.from(bytes).toString("utf8")) ? unreadable : bytes,
  });

/** The bytes of a secret in a request's text, in which ids have a `value` too. */
const valueIn = (text: string) => text.replaceAll(/\{"value":"[^"]*"\}/g, "{}");

const ignoring = (name: string) =>
  [`the original name ${name} is not known`, onRequest((json) => without(json, name))] as const;

/** Spellings of requests that mean the same, and are not understood. */
export const spellingFaults: readonly Fault[] = faultsOf("input", "alpha.v1", {
  "json.request.equivalent": {
    "GetSecret-secret_id-ignored": ignoring("secret_id"),
    "CreateArtifactUpload-mime_type-ignored": ignoring("mime_type"),
    "ListWebhookEndpoints-workspace_id-ignored": ignoring("workspace_id"),
    "WatchJob-job_id-ignored": ignoring("job_id"),
    "CreateWebhookEndpoint-request_id-ignored": ignoring("request_id"),
    "WatchJob-int64-number-refused": [
      "a version as a number is refused",
      refusingText((text) => /"afterResourceVersion":\d/.test(text)),
    ],
    "CreateArtifactUpload-uint64-number-refused": [
      "a size as a number is refused",
      refusingText((text) => /"sizeBytes":\d/.test(text)),
    ],
    "ListArtifacts-uint32-text-refused": [
      "a page size as text is refused",
      refusingText((text) => /"pageSize":"/.test(text)),
    ],
    "ListWebhookEndpoints-uint32-exponent-refused": [
      "a page size with an exponent is refused",
      refusingText((text) => /:\d+e\d/.test(text)),
    ],
    "ListMiniApps-uint32-point-refused": [
      "a page size with a decimal point is refused",
      refusingText((text) => /\d\.0\b/.test(text)),
    ],
    "ListJobs-enum-number-refused": ["a state as a number is refused", refusingText((text) => /"state":\d/.test(text))],
    "ListSecrets-null-refused": ["a null page is refused", refusingText((text) => /"page":null/.test(text))],
    "RunSync-null-list-refused": ["a null list is refused", refusingText((text) => /Ids":null/.test(text))],
    "RunStream-default-refused": ["an empty list is refused", refusingText((text) => /Ids":\[\]/.test(text))],
    "CreateSecret-unpadded-bytes-refused": [
      "bytes without padding are refused",
      refusingText((text) => /"value":"[^"=]*"[,}]?/.test(valueIn(text))),
    ],
    "CreateSecret-url-safe-bytes-refused": [
      "bytes in the URL-safe alphabet are refused",
      refusingText((text) => /"value":"[^"]*[-_][^"]*"/.test(valueIn(text))),
    ],
    "GetJob-escaped-names-refused": [
      "a field name with escapes is refused",
      refusingText((text) => /\\u[0-9a-f]{4}":/.test(text)),
    ],
    "GetMiniApp-escaped-strings-refused": [
      "a string of escapes is refused",
      refusingText((text) => /:"\\u/.test(text)),
    ],
    "GetArtifact-white-space-refused": [
      "white space before the object is refused",
      refusingText((text) => /^\s/.test(text)),
    ],
    "RunStream-key-order-matters": [
      "a request must begin with its requestId",
      refusingText((text) => text.startsWith("{") && !text.startsWith('{"request')),
    ],
    "CreateArtifactUpload-nine-digits-refused": [
      "a duration with nine digits is refused",
      refusingText((text) => /\.0{9}s/.test(text)),
    ],
  },
});

const offset = /"expiresAt":"([^"]{19}[^"]*?)[+-]\d\d:\d\d"/;

/** Takes the clock of a time for that of UTC, whatever its offset. */
const ignoringOffsets = ({ name }: RpcRow): WireHooks => ({
  requestBytes: (bytes, call) =>
    call.rpc === name ? Buffer.from(Buffer.from(bytes).toString("utf8").replace(offset, '"expiresAt":"$1Z"')) : bytes,
});

/** Values of updates whose spellings are read otherwise than those of what is made. */
export const updatedValues: readonly Fault[] = faultsOf("input", "beta.v1", {
  "*.records.echo": {
    "CreateCustomerUserGrant-offset-ignored": ["the offset of a time is ignored", ignoringOffsets],
    "UpdateCustomerUserGrant-offset-ignored": ["the offset of a time is ignored", ignoringOffsets],
  },
  "json.request.equivalent": {
    "UpdateCustomerUserGrant-offset-refused": [
      "a time with an offset is refused",
      refusingText((text) => offset.test(text)),
    ],
    "RotateSecret-unpadded-bytes-refused": [
      "bytes without padding are refused",
      refusingText((text) => /"plaintextValue":"[^"=]*"[,}]?/.test(text)),
    ],
  },
});

/** The filters of a listing whose two names differ. */
const renamedFilters = ({ list, filters }: RpcRow) =>
  list === undefined ? [] : filters.filter(({ name, field }) => name !== field.name);

/** Listings of everything where a filter has a name, or a spelling of it, that is not looked for. */
export const unseenFilters: readonly Fault[] = faultsAt(
  rpcs.filter((row) => renamedFilters(row).length > 0),
  {
    id: "input/filter-by-original-name-ignored",
    says: "does not know its filter by the original name",
    breaks: "*.filters.hold",
    decorate: (row) =>
      onRequest((json) => renamedFilters(row).reduce((rest, { field }) => without(rest, field.name), json))(row),
  },
);

/** Streams of a run that begin at the beginning where the position has a spelling that is not looked for. */
export const unseenPositions: readonly Fault[] = faultsOf("input", "beta.v1", {
  "beta.text.after": { "StreamRunText-after_sequence-ignored": ignoring("after_sequence") },
  "beta.watch.not-older": { "WatchRun-after_sequence-ignored": ignoring("after_sequence") },
});
