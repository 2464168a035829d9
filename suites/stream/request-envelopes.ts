import { defineRule } from "../../harness/case/case.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { compressedFlag, encodeEnvelope } from "../../harness/wire/envelope.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";

const truncated = "connect.stream.truncated";
const count = "connect.stream.request-count";

/** The attempts below, by index, whose code the official conformance suite fixes. What comes as an HTTP error is left alone. */
const codes = [
  [4, "connect.stream.request-count-code", "unimplemented"],
  [5, "connect.stream.request-count-code", "unimplemented"],
  [7, "connect.stream.request-flags-code", "internal"],
] as const;

export const oneEnvelope = defineRule({
  id: "stream/request-must-be-one-complete-envelope",
  says: "a stream request that is truncated, empty, doubled or wrongly flagged as compressed is refused, without data",
  clauses: [
    truncated,
    count,
    "connect.stream.request-flags",
    "connect.stream.request-count-code",
    "connect.stream.request-flags-code",
    "*.stream.refused-no-data",
    "*.endpoints.served",
  ],
  rows: (row) => row.stream,
  async run(context) {
    const { row, setup, judge } = context;
    const replies = await judgeRefusals(
      context,
      (valid) => {
        const envelope = (flags = 0) => {
          const request = { ...valid, ...freshRequestId(row, setup) };
          return encodeEnvelope(flags, Buffer.from(JSON.stringify(request)));
        };
        const attempt = (because: string, clause: string, body: Uint8Array): Attempt => ({
          because,
          clause,
          request: {},
          options: { body },
        });
        const length = envelope().byteLength;
        return [
          attempt("its envelope ends after the flags", truncated, envelope().subarray(0, 1)),
          attempt("its envelope ends within the length", truncated, envelope().subarray(0, 4)),
          attempt("its message lacks the last byte", truncated, envelope().subarray(0, length - 1)),
          attempt("its envelope has no message", truncated, envelope().subarray(0, 5)),
          attempt("it holds no envelope", count, new Uint8Array()),
          attempt("it holds two envelopes", count, Buffer.concat([envelope(), envelope()])),
          attempt("bytes follow its envelope", count, Buffer.concat([envelope(), Uint8Array.of(0, 0)])),
          attempt(
            "it is flagged as compressed, without a content encoding",
            "connect.stream.request-flags",
            envelope(compressedFlag),
          ),
        ];
      },
      { oddForm: true },
    );
    for (const [index, clause, code] of codes) {
      const reply = replies[index];
      if (reply?.outcome !== "refused" || reply.error.status !== 200) continue;
      judge(reply, clause).satisfies(reply.error.code === code, `the code ${code}`, describeReply(reply));
    }
  },
});
