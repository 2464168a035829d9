import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { forRpc } from "../../reference/core/decoration.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import { changedReply } from "../edit.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

const service = "beta.v1.PlatformService";
const get = `${service}/GetArtifact`;
const list = `${service}/ListArtifacts`;
const download = `${service}/DownloadArtifact`;
const noId = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };
const zeros = Buffer.alloc(32).toString("base64");

const places: readonly (readonly [rpc: string, path: string])[] = [
  [get, "artifact"],
  [list, "artifacts[]"],
  [download, "artifact"],
];

/** The content in base64, changed. */
function content(change: (bytes: Buffer) => Uint8Array): BetaDecoration {
  return changedReply(download, "content", (value) =>
    Buffer.from(change(Buffer.from(String(value), "base64"))).toString("base64"),
  );
}

/** The content is whole the first time only. */
function onceOnly(): BetaDecoration {
  const seen = new Set<string>();
  return {
    reply: forRpc(download, (json: JsonObject, call) => {
      const id = JSON.stringify(call.request.artifactId);
      if (seen.has(id)) return { ...json, content: Buffer.from("gone").toString("base64") };
      seen.add(id);
      return json;
    }),
  };
}

type Row = readonly [id: string, rpc: string, breaks: string, says: string, decoration: BetaDecoration];

const rows: readonly Row[] = [
  ...places.flatMap(([rpc, path]): readonly Row[] => [
    [
      "digest-of-zeros",
      rpc,
      "artifacts.digest",
      "shows zeros for a digest",
      changedReply(rpc, `${path}.sha256`, () => zeros),
    ],
    [
      "byte-too-many",
      rpc,
      "artifacts.digest",
      "counts a byte too many",
      changedReply(rpc, `${path}.sizeBytes`, (size) => String(BigInt(String(size)) + 1n)),
    ],
    [
      "size-missing",
      rpc,
      "artifacts.digest",
      "leaves the size out",
      changedReply(rpc, `${path}.sizeBytes`, () => undefined),
    ],
    [
      "digest-cut",
      rpc,
      "digests.length",
      "cuts the digest to sixteen bytes",
      changedReply(rpc, `${path}.sha256`, (digest) =>
        Buffer.from(String(digest), "base64").subarray(0, 16).toString("base64"),
      ),
    ],
  ]),
  ...places.slice(0, 2).flatMap(([rpc, path]): readonly Row[] => [
    ["of-another-job", rpc, "artifacts.job", "names another job", changedReply(rpc, `${path}.jobId`, () => noId)],
    ["of-another-run", rpc, "artifacts.job", "names another run", changedReply(rpc, `${path}.runId`, () => noId)],
  ]),
  [
    "line-ends-changed",
    download,
    "artifacts.digest",
    "sends the content with other line ends",
    content((bytes) => Buffer.from(bytes.toString().replaceAll("\n", "\r\n"))),
  ],
  ["content-cut", download, "artifacts.digest", "leaves the last byte out", content((bytes) => bytes.subarray(0, -1))],
  [
    "content-missing",
    download,
    "artifacts.digest",
    "sends no content",
    changedReply(download, "content", () => undefined),
  ],
  ["content-once-only", download, "artifacts.digest", "sends other content the second time", onceOnly()],
  [
    "ignores-job",
    list,
    "filters.hold",
    "shows the artifacts of every job",
    {
      request: forRpc(list, (json: JsonObject) => {
        const { jobId: _, ...others } = json;
        return others;
      }),
    },
  ],
  [
    "last-page-lost",
    list,
    "filters.complete",
    "ends every listing with its first page",
    { reply: forRpc(list, (json: JsonObject) => ({ ...json, page: {} })) },
  ],
  [
    "second-left-out",
    list,
    "filters.complete",
    "shows nothing but the first artifact where pages are short",
    {
      reply: forRpc(list, (json: JsonObject, { request }) => {
        const { cursor = "" } = (request.page ?? {}) as JsonObject;
        return cursor === "" ? json : { ...json, artifacts: [] as JsonValue[] };
      }),
    },
  ],
];

export const betaRunArtifactFaults: readonly Fault[] = rows.map(([id, rpc, breaks, says, decoration]) =>
  defineBetaFault({
    id: `lifecycle/beta-${rpc.split("/")[1]}-${id}`,
    says: `${rpc.split("/")[1]} ${says}`,
    breaks: `beta.${breaks}`,
    // What one RPC shows wrongly is not what others show.
    entails: ["beta.records.agree"],
    rpc,
    decoration,
  }),
);
