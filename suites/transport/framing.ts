import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import { sameReading } from "../../harness/oracles/agreement.ts";
import { fillRequest } from "../../harness/setup/filled-request.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { listAt, showJson, textAt } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { compressed, unreadExempt } from "../common/compressed.ts";
import { callWith } from "../common/current-call.ts";
import { requestBody } from "../common/request-body.ts";

/** A way to transfer a request that does not change its meaning. */
interface Framing {
  readonly name: string;
  /** Servers need not support it: a refusal is fine, and only served calls are judged. */
  readonly optional: boolean;
  options(row: RpcRow, json: Buffer): CallOptions;
}

const framings: readonly Framing[] = [
  { name: "in pieces", optional: false, options: (row, json) => ({ body: requestBody(row, json), pieces: 5 }) },
  { name: "compressed", optional: true, options: (row, json) => compressed(row, json, "identity") },
  {
    name: "compressed, in pieces",
    optional: true,
    options: (row, json) => ({ ...compressed(row, json, ""), pieces: 3 }),
  },
];

/** HTTP allows a server to demand a Content-Length. */
const lengthRequired = 411;

/** The part of a reply that must not depend on the framing of the request. */
function shownBy(reply: Reply): string {
  if (reply.outcome !== "served") return describeReply(reply);
  const { row, json, messages } = reply;
  if (row.effect === Effect.WATCH) return messages.length > 0 ? "messages" : "no message";
  if (row.list !== undefined)
    return listAt(json, row.list.name).length > 0 || textAt(json, "page.nextCursor") !== "" ? "items" : "no items";
  return row.effect === Effect.READ && row.record !== undefined ? showJson(recordIn(reply)) : "served";
}

function sameAnswer(a: Reply, b: Reply): boolean {
  const message = a.row.effect === Effect.READ ? a.row.record?.field.message : undefined;
  if (a.outcome === "served" && b.outcome === "served" && message !== undefined)
    return sameReading(message, recordIn(a), recordIn(b));
  return shownBy(a) === shownBy(b);
}

export const framing = defineRule({
  id: "transport/request-chunking-and-compression-change-nothing",
  says: "a request sent in several chunks, or compressed where the server supports that, is answered like one sent whole",
  clauses: ["json.request.equivalent"],
  rows: (row) => isReadOnly(row) || row.effect === Effect.CREATE,
  async run(context) {
    const { row, setup, needs, judge } = context;
    const subject = await setup.subjectOf(row);
    const ask = (chosen?: Framing) =>
      callWith(context, subject, async (current) => {
        const request = await fillRequest(setup, row, await setup.request(row, current), current);
        const json = Buffer.from(JSON.stringify(request));
        return { request, options: chosen === undefined ? {} : { ...chosen.options(row, json), exempt: unreadExempt } };
      });
    const usual = await ask();
    needs(usual);
    await Promise.all(
      framings.map(async (chosen) => {
        const reply = await ask(chosen);
        const refused = reply.outcome === "refused" ? reply.error.status : undefined;
        if (refused !== undefined && (chosen.optional || refused === lengthRequired)) return;
        const same = sameAnswer(reply, usual);
        // What is answered otherwise the next time however it is sent says nothing of this way.
        const isSteady = same || sameAnswer(await ask(), usual);
        judge(reply, undefined, [usual]).satisfies(
          same || !isSteady,
          `the same as sent whole: ${shownBy(usual)}`,
          `sent ${chosen.name}: ${shownBy(reply)}`,
        );
      }),
    );
  },
});
