import { defineInvariant } from "../../harness/case/case.ts";
import {
  type CodingHeaders,
  mirroredCoding,
  streamCodings,
  unaryCodings,
} from "../../harness/oracles/connect-common.ts";
import { judgeStream } from "../../harness/oracles/connect-stream.ts";
import { judgeUnary } from "../../harness/oracles/connect-unary.ts";
import type { Reply } from "../../harness/wire/reply.ts";

/** Notes a reply in a coding that its request has, and does not accept. */
function observeCoding({ exchange }: Reply, headers: CodingHeaders) {
  const coding = mirroredCoding(exchange, headers);
  if (coding === undefined) return [];
  return [
    {
      clause: "connect.coding-mirrored",
      value: `a request in ${coding} is answered in it, though others are accepted`,
    },
  ];
}

/** The Connect protocol's rules for replies, judged of every exchange of the run. */
export const unaryForm = defineInvariant({
  id: "transport/unary-replies-have-connect-form",
  says: "every unary reply has the form the Connect protocol gives it",
  clauses: [
    "*.endpoints.unary-object",
    "connect.unary.status",
    "connect.unary.content-type",
    "connect.unary.one-object",
    "connect.unary.encoding",
    "connect.coding-mirrored",
    "connect.whole-reply",
    "connect.no-trailers",
    "connect.reserved-metadata",
    "connect.reply.binary-metadata",
    "connect.error.content-type",
    "connect.error.shape",
    "connect.error.code",
    "connect.error.not-200",
    "connect.error.status",
    "json.reply.duplicate-keys",
  ],
  rows: (row) => !row.stream,
  judge: (reply) => judgeUnary(reply.exchange),
  observe: (reply) => observeCoding(reply, unaryCodings),
});

export const streamForm = defineInvariant({
  id: "transport/stream-replies-have-connect-form",
  says: "every stream has the form the Connect protocol gives it",
  clauses: [
    "*.endpoints.envelopes",
    "connect.stream.status",
    "connect.stream.content-type",
    "connect.stream.envelopes",
    "connect.stream.end",
    "connect.stream.end-shape",
    "connect.stream.compression",
    "connect.coding-mirrored",
    "connect.stream.payload",
    "connect.stream.flags",
    "connect.stream.trailers",
    "connect.stream.metadata-names",
    "connect.reply.binary-metadata",
    "connect.whole-reply",
  ],
  rows: (row) => row.stream,
  judge: (reply) => judgeStream(reply.exchange),
  observe: (reply) => observeCoding(reply, streamCodings),
});
