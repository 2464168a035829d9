import { fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import type { CaseContext } from "../../../harness/case/context.ts";
import { digestOf } from "../../../harness/oracles/digest.ts";
import { objectAt, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { EncodedPayloadSchema } from "../../../proto/gen/beta/v1/resources_pb.js";

/** The bytes that a digest of proposed arguments may cover: their value, or the whole payload in one encoding or another. */
function digestedBytes(payload: JsonObject): ReadonlyMap<string, Uint8Array> {
  const value = textAt(payload, "value");
  return new Map<string, Uint8Array>([
    ["the value", Buffer.from(value, "base64")],
    ["the value in base64", Buffer.from(value)],
    ["the payload as JSON", Buffer.from(JSON.stringify(payload))],
    [
      "the payload in binary",
      toBinary(EncodedPayloadSchema, fromJson(EncodedPayloadSchema, payload, { ignoreUnknownFields: true })),
    ],
  ]);
}

/** Judges that the digest of an approval is that of the arguments it proposes. */
export function judgeDigest({ judge, observe }: CaseContext, reply: Reply, approval: JsonObject, at: string): void {
  const shown = Buffer.from(textAt(approval, "argumentSha256"), "base64").toString("hex");
  const digests = [...digestedBytes(objectAt(approval, "proposedArguments"))].map(
    ([what, bytes]) => [what, digestOf(bytes)] as const,
  );
  const over = digests.find(([, digest]) => digest === shown);
  judge(reply, "*.approvals.digest").satisfies(
    over !== undefined,
    `${digests[0]?.[1]}, the SHA-256 of proposedArguments`,
    shown === "" ? "absent" : shown,
    `${at}.argumentSha256`,
  );
  if (over !== undefined) observe("*.open.digest-bytes", `argumentSha256 is over ${over[0]}`);
}
