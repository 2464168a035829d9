import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/refusals.ts";

/** A valid call that says something more, and must be served all the same. */
interface Saying {
  readonly clause: string;
  readonly headers: NonNullable<CallOptions["headers"]>;
}

function sayingsOf(row: RpcRow): readonly Saying[] {
  const [type, offer] = row.stream
    ? ["APPLICATION/CONNECT+JSON", "connect-accept-encoding"]
    : ["APPLICATION/JSON", "accept-encoding"];
  return [
    ...(row.stream
      ? []
      : [{ clause: "connect.request.identity", headers: [["content-encoding", "identity"]] } as const]),
    { clause: row.stream ? "connect.stream.compression" : "connect.unary.encoding", headers: [[offer, "gzip"]] },
    { clause: "connect.request.long-timeout", headers: [["connect-timeout-ms", "9999999999"]] },
    ...(isReadOnly(row)
      ? [{ clause: "connect.request.media-type-case", headers: [["content-type", type]] } as const]
      : []),
  ];
}

/** Rows whose valid call needs nothing made for it alone. */
function isCheap(row: RpcRow): boolean {
  return isReadOnly(row) || row.effect === Effect.CREATE;
}

export const legalHeaders = defineRule({
  id: "transport/legal-headers-are-accepted",
  says: "identity coding, an offer of gzip, the longest timeout and an upper-case media type are served as usual",
  clauses: [
    "connect.unary.encoding",
    "connect.stream.compression",
    "connect.request.identity",
    "connect.request.long-timeout",
    "connect.request.media-type-case",
  ],
  rows: isCheap,
  async run(context) {
    const { row, setup, needs, judge } = context;
    const subject = await setup.subjectOf(row);
    needs(await callCurrent(context, subject));
    await Promise.all(
      sayingsOf(row).map(async ({ clause, headers }) =>
        judge(await callCurrent(context, subject, { headers }), clause).isServed(),
      ),
    );
  },
});

export const malformedTimeout = defineRule({
  id: "transport/malformed-timeouts-are-answered",
  says: "a timeout that is no number of milliseconds is answered, one way or the other, in bounded time",
  clauses: ["connect.request.timeout-form"],
  rows: isReadOnly,
  async run(context) {
    const { row, setup, needs, judge } = context;
    const subject = await setup.subjectOf(row);
    needs(await callCurrent(context, subject));
    await Promise.all(
      ["abc", "1.5", "12345678901"].map(async (timeout) => {
        const options = { headers: [["connect-timeout-ms", timeout]], foreign: true } as const;
        const reply = await callCurrent(context, subject, options);
        const actual = `${describeReply(reply)}, for ${timeout}`;
        judge(reply).satisfies(reply.outcome !== "broken", "an answer", actual);
      }),
    );
  },
});

export const protocolVersion = defineRule({
  id: "transport/protocol-version-1-is-served",
  says: "a request of protocol version 1 is served; what is made of none and of another is noted",
  clauses: ["*.versioning.header", "connect.request.no-version", "connect.request.version-2"],
  rows: isReadOnly,
  async run(context) {
    const { row, setup, judge, observe } = context;
    const subject = await setup.subjectOf(row);
    const withVersion = (version: string) =>
      callCurrent(context, subject, { headers: [["connect-protocol-version", version]], foreign: version !== "1" });
    const [one, none, two] = await Promise.all(["1", "", "2"].map(withVersion));
    if (one === undefined || none === undefined || two === undefined) return;
    judge(one).isServed();
    const answered = (reply: typeof one) =>
      reply.outcome === "refused" ? `refused: HTTP ${reply.error.status} ${reply.error.code}` : reply.outcome;
    observe("connect.request.no-version", answered(none));
    observe("connect.request.version-2", answered(two));
  },
});
