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

/** Rows take turns: what reads the header reads it for all. A browser sends text/plain to other origins without asking. */
const foreignTypes = ["image/jpeg", "text/plain"];
const streamed = "application/connect+json";

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
    attempt("its media type is a stream's", mediaType, [["content-type", streamed]]),
    attempt("its media type is foreign", mediaType, [
      ["content-type", foreignTypes[row.peers.indexOf(row) % foreignTypes.length] ?? ""],
    ]),
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
    const replies = await judgeRefusals(
      context,
      (valid) => attemptsFor(row, () => ({ ...valid, ...freshRequestId(row, setup) })),
      { oddForm: true },
    );
    for (const reply of replies) {
      const { headers } = reply.exchange.request;
      const sent = (value: string) => headers.some((header) => header[1] === value);
      const unknown = sent("application/foo") || (!row.stream && sent(streamed));
      // One runtime answers a unary call of a stream's type by a stream, whose end refuses it: only a warning (CP-U-32).
      if (unknown && reply.outcome === "served")
        judge(reply, codec).isRefused({ because: "the codec is not of its kind" });
      if (reply.outcome !== "refused") continue;
      const { status, code } = reply.error;
      if (unknown) judge(reply, codec).satisfies(status === 415, "HTTP 415", describeReply(reply));
      if (sent("foo")) {
        const asExpected = code === "unimplemented" || status === 501 || status === 415;
        judge(reply, unknownCoding).satisfies(asExpected, "the code unimplemented", describeReply(reply));
      }
    }
  },
});
