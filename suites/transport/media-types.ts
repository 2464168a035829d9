import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { compressedFlag, encodeEnvelope } from "../../harness/wire/envelope.ts";
import type { Header } from "../../harness/wire/exchange.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";

const codec = "connect.request.codec";
const mediaType = "connect.request.media-type";
const streamType = "connect.stream.media-type";
const unknownCoding = "connect.request.unknown-encoding";
const undecodable = "connect.request.undecodable";

/** Valid calls with a header that a server must not ignore. A router may answer them in any form (TR-10). */
function attemptsFor(row: RpcRow, request: () => JsonObject): readonly Attempt[] {
  const attempt = (because: string, clause: string, headers: readonly Header[], body?: Uint8Array): Attempt => {
    const changed = request();
    return { because, clause, request: changed, options: { headers, foreign: true, ...(body && { body }) } };
  };
  const plain = () => Buffer.from(JSON.stringify(request()));
  if (row.stream) {
    return [
      attempt("its codec is unknown", streamType, [["content-type", "application/connect+foo"]]),
      attempt("its media type is a unary call's", streamType, [["content-type", "application/json"]], plain()),
      attempt("its content encoding is unknown", unknownCoding, [["connect-content-encoding", "foo"]]),
      attempt(
        "its body is not gzip, as its header claims",
        undecodable,
        [["connect-content-encoding", "gzip"]],
        encodeEnvelope(compressedFlag, plain()),
      ),
    ];
  }
  return [
    attempt("its codec is unknown", codec, [["content-type", "application/foo"]]),
    attempt("its media type is foreign", mediaType, [["content-type", "image/jpeg"]]),
    attempt("it has no media type", mediaType, [["content-type", ""]]),
    attempt("its content encoding is unknown", unknownCoding, [["content-encoding", "foo"]]),
    attempt("its body is not gzip, as its header claims", undecodable, [["content-encoding", "gzip"]]),
  ];
}

export const unsupportedForms = defineRule({
  id: "transport/unknown-media-types-and-encodings-are-refused",
  says: "a request with a media type, codec or content encoding that the server does not support is refused and has no effect",
  clauses: [codec, mediaType, streamType, unknownCoding, undecodable, "*.endpoints.served"],
  rows: () => true,
  async run(context) {
    const { row, setup, judge } = context;
    const replies = await judgeRefusals(context, (valid) =>
      attemptsFor(row, () => ({ ...valid, ...freshRequestId(row, setup) })),
    );
    for (const reply of replies) {
      if (reply.outcome !== "refused") continue;
      const { status, code } = reply.error;
      const { headers } = reply.exchange.request;
      const sent = (value: string) => headers.some((header) => header[1] === value);
      if (sent("application/foo")) judge(reply, codec).satisfies(status === 415, "HTTP 415", describeReply(reply));
      if (sent("foo")) {
        const asExpected = code === "unimplemented" || status === 501 || status === 415;
        judge(reply, unknownCoding).satisfies(asExpected, "the code unimplemented", describeReply(reply));
      }
    }
  },
});
