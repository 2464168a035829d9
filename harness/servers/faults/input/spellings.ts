import type { JsonObject } from "@bufbuild/protobuf";
import { forRpc } from "../../reference/core/decoration.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { editAt } from "../edit.ts";
import { defineFault, type Fault } from "../fault.ts";

/** Something no request of its RPC can be: what refuses a spelling is put in its place. */
const unreadable = Buffer.from('"a spelling this server does not know"');

const equivalent = "json.request.equivalent";

/** Refuses what a request's text looks like. */
function refusingText(rpc: string, looks: (text: string) => boolean): AlphaDecoration {
  return {
    requestBytes: (bytes, call) =>
      call.rpc === rpc && looks(Buffer.from(bytes).toString("utf8")) ? unreadable : bytes,
  };
}

type SpellingRow = readonly [id: string, says: string, rpc: string, looks: (text: string) => boolean];

const spellings: readonly SpellingRow[] = [
  [
    "int64-number-refused",
    "a version as a number is refused",
    "JobService/WatchJob",
    (text) => /"afterResourceVersion":\d/.test(text),
  ],
  [
    "uint64-number-refused",
    "a size as a number is refused",
    "ArtifactService/CreateArtifactUpload",
    (text) => /"sizeBytes":\d/.test(text),
  ],
  [
    "uint32-text-refused",
    "a page size as text is refused",
    "ArtifactService/ListArtifacts",
    (text) => /"pageSize":"/.test(text),
  ],
  [
    "uint32-exponent-refused",
    "a page size with an exponent is refused",
    "WebhookService/ListWebhookEndpoints",
    (text) => /:\d+e\d/.test(text),
  ],
  [
    "uint32-point-refused",
    "a page size with a decimal point is refused",
    "CatalogService/ListMiniApps",
    (text) => /\d\.0\b/.test(text),
  ],
  ["enum-number-refused", "a state as a number is refused", "JobService/ListJobs", (text) => /"state":\d/.test(text)],
  ["null-refused", "a null page is refused", "SecretService/ListSecrets", (text) => /"page":null/.test(text)],
  ["null-list-refused", "a null list is refused", "PublicTestFixtureService/RunSync", (text) => /Ids":null/.test(text)],
  [
    "default-refused",
    "an empty list is refused",
    "PublicTestFixtureService/RunStream",
    (text) => /Ids":\[\]/.test(text),
  ],
  [
    "unpadded-bytes-refused",
    "bytes without padding are refused",
    "SecretService/CreateSecret",
    (text) => /"value":"[^"=]*"[,}]?/.test(text.replaceAll(/\{"value":"[^"]*"\}/g, "{}")),
  ],
  [
    "url-safe-bytes-refused",
    "bytes in the URL-safe alphabet are refused",
    "SecretService/CreateSecret",
    (text) => /"value":"[^"]*[-_][^"]*"/.test(text.replaceAll(/\{"value":"[^"]*"\}/g, "{}")),
  ],
  [
    "escaped-names-refused",
    "a field name with escapes is refused",
    "JobService/GetJob",
    (text) => /\\u[0-9a-f]{4}":/.test(text),
  ],
  [
    "escaped-strings-refused",
    "a string of escapes is refused",
    "CatalogService/GetMiniApp",
    (text) => /:"\\u/.test(text),
  ],
  [
    "white-space-refused",
    "white space before the object is refused",
    "ArtifactService/GetArtifact",
    (text) => /^\s/.test(text),
  ],
  [
    "key-order-matters",
    "a request must begin with its requestId",
    "PublicTestFixtureService/RunStream",
    (text) => text.startsWith("{") && !text.startsWith('{"request'),
  ],
  [
    "nine-digits-refused",
    "a duration with nine digits is refused",
    "ArtifactService/CreateArtifactUpload",
    (text) => /\.0{9}s/.test(text),
  ],
];

const originals: readonly (readonly [rpc: string, name: string])[] = [
  ["SecretService/GetSecret", "secret_id"],
  ["ArtifactService/CreateArtifactUpload", "mime_type"],
  ["WebhookService/ListWebhookEndpoints", "workspace_id"],
  ["JobService/WatchJob", "job_id"],
  ["WebhookService/CreateWebhookEndpoint", "request_id"],
];

export const spellingFaults: readonly Fault[] = [
  ...spellings.map(([id, says, rpc, looks]) =>
    defineFault({
      id: `input/${id}`,
      says: `${says} (${rpc})`,
      breaks: equivalent,
      rpc: `alpha.v1.${rpc}`,
      decoration: refusingText(`alpha.v1.${rpc}`, looks),
    }),
  ),
  ...originals.map(([rpc, name]) =>
    defineFault({
      id: `input/${rpc.slice(rpc.indexOf("/") + 1)}-${name}-ignored`,
      says: `the original name ${name} is not known (${rpc})`,
      breaks: equivalent,
      rpc: `alpha.v1.${rpc}`,
      decoration: {
        request: forRpc(`alpha.v1.${rpc}`, ({ [name]: _, ...json }: JsonObject): JsonObject => json),
      },
    }),
  ),
  defineFault({
    id: "input/enum-number-misread",
    says: "a state as a number is taken for the state before (ListJobs)",
    breaks: equivalent,
    also: ["alpha.filters.hold"],
    rpc: "alpha.v1.JobService/ListJobs",
    decoration: {
      request: forRpc("alpha.v1.JobService/ListJobs", (json: JsonObject) =>
        editAt(json, "state", (state) => (typeof state === "number" ? "JOB_STATE_FAILED" : state)),
      ),
    },
  }),
];
