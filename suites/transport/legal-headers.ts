import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";

/** A valid call with an additional header, which must be served nevertheless. */
interface LegalHeader {
  readonly clause: string;
  readonly headers: NonNullable<CallOptions["headers"]>;
}

function legalHeadersOf(row: RpcRow): readonly LegalHeader[] {
  const [type, offer] = row.stream
    ? ["APPLICATION/CONNECT+JSON", "connect-accept-encoding"]
    : ["APPLICATION/JSON", "accept-encoding"];
  return [
    ...(row.stream
      ? []
      : [{ clause: "connect.request.identity", headers: [["content-encoding", "identity"]] } as const]),
    { clause: row.stream ? "connect.stream.compression" : "connect.unary.encoding", headers: [[offer, "gzip"]] },
    {
      clause: "connect.request.binary-metadata",
      headers: [
        ["x-hallmark-one-bin", "AAE"],
        ["x-hallmark-other-bin", "AAE="],
      ],
    },
    { clause: "connect.request.long-timeout", headers: [["connect-timeout-ms", "9999999999"]] },
    ...(isReadOnly(row)
      ? [{ clause: "connect.request.media-type-case", headers: [["content-type", type]] } as const]
      : []),
  ];
}

/** RPCs whose valid call needs no fresh resource. */
function isCheap(row: RpcRow): boolean {
  return isReadOnly(row) || row.effect === Effect.CREATE;
}

export const legalHeaders = defineRule({
  id: "transport/legal-headers-are-accepted",
  says: "calls with identity encoding, an offer of gzip, the longest timeout, metadata in base64 or an upper-case media type are served as usual",
  clauses: [
    "connect.unary.encoding",
    "connect.stream.compression",
    "connect.request.identity",
    "connect.request.long-timeout",
    "connect.request.media-type-case",
    "connect.request.binary-metadata",
  ],
  rows: isCheap,
  async run(context) {
    const { row, setup, needs, judge } = context;
    const subject = await setup.subjectOf(row);
    needs(await callCurrent(context, subject));
    await Promise.all(
      legalHeadersOf(row).map(async ({ clause, headers }) =>
        judge(await callCurrent(context, subject, { headers }), clause).isServed(),
      ),
    );
  },
});

export const malformedTimeout = defineRule({
  id: "transport/malformed-timeouts-are-answered",
  says: "a call with a timeout that is not a number of milliseconds is served or refused in bounded time",
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
  says: "a request of protocol version 1 is served, without any other header of Connect too; how one without a version, or with version 2, is answered is recorded",
  clauses: [
    "*.versioning.header",
    "connect.request.minimal",
    "connect.request.no-version",
    "connect.request.version-2",
  ],
  rows: isReadOnly,
  async run(context) {
    const { row, setup, judge, observe } = context;
    const subject = await setup.subjectOf(row);
    const withVersion = (version: string) =>
      callCurrent(context, subject, { headers: [["connect-protocol-version", version]], foreign: version !== "1" });
    const [one, none, two] = await Promise.all(["1", "", "2"].map(withVersion));
    if (one === undefined || none === undefined || two === undefined) return;
    judge(one).isServed();
    // Which codings are taken need not be said either.
    judge(
      await callCurrent(context, subject, { headers: [["accept-encoding", ""]] }),
      "connect.request.minimal",
    ).isServed();
    const answered = (reply: typeof one) =>
      reply.outcome === "refused" ? `refused: HTTP ${reply.error.status} ${reply.error.code}` : reply.outcome;
    observe("connect.request.no-version", answered(none));
    observe("connect.request.version-2", answered(two));
  },
});
