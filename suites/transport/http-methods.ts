import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import { sameRecord } from "../../harness/oracles/agreement.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";
import type { Attempt } from "../common/refusals.ts";

/** "Every call is an HTTP POST." */
export const post = "*.endpoints.post";

/** A call by GET, as Connect has it for RPCs without side effects: the message stands in the query. */
export function byGet(
  row: RpcRow,
  request: JsonObject,
  parameters: readonly (readonly [string, string])[] = [],
): CallOptions {
  const message = ["message", JSON.stringify(request)] as const;
  const all = parameters.length > 0 ? parameters : [["connect", "v1"] as const, ["encoding", "json"] as const, message];
  const query = new URLSearchParams(all.map(([name, value]): [string, string] => [name, value || message[1]]));
  return {
    method: "GET",
    path: `${row.path}?${query.toString().replaceAll("+", "%20")}`,
    headers: [["content-type", ""]],
    foreign: true,
  };
}

/** Calls by other HTTP methods than POST. A read may be served by GET, as it changes nothing. */
export function otherMethods(row: RpcRow, fresh: () => JsonObject): readonly Attempt[] {
  const clause = isReadOnly(row) ? "connect.request.method" : post;
  const bodied = ["PUT", "PATCH", "DELETE"].map(
    (method): Attempt => ({
      because: `it is a ${method}`,
      clause,
      request: fresh(),
      options: { method, foreign: true },
    }),
  );
  const request = fresh();
  const because = "it is a GET, and the RPC changes something";
  return isReadOnly(row) || row.stream
    ? bodied
    : [...bodied, { because, clause, request, options: byGet(row, request) }];
}

function sameAnswer(a: Reply, b: Reply): boolean {
  const message = a.row.effect === Effect.READ ? a.row.record?.field.message : undefined;
  if (a.outcome !== "served" || b.outcome !== "served") return false;
  return message === undefined || sameRecord(message, recordIn(a), recordIn(b));
}

export const get = defineRule({
  id: "transport/served-get-is-answered-like-post",
  says: "an RPC that changes nothing is answered by GET as by POST where the server serves it by GET at all, in any order of parameters",
  clauses: ["connect.get.same-answer", "connect.get"],
  rows: (row) => isReadOnly(row) && !row.stream,
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const subject = await setup.subjectOf(row);
    const baseUrl = setup.baseUrl(row, subject);
    const [before, usual] = [await callCurrent(context, subject), await callCurrent(context, subject)];
    needs(usual);
    const request = await setup.request(row, subject);
    const first = await call(row, request, { ...byGet(row, request), baseUrl });
    observe("connect.get", first.outcome === "served" ? "serves reads by GET" : "serves nothing by GET");
    if (first.outcome !== "served") return;
    const shuffled = [
      ["later", "1"],
      ["message", ""],
      ["encoding", "json"],
      ["connect", "v1"],
    ] as const;
    const again = await setup.request(row, subject);
    const second = await call(row, again, { ...byGet(row, again, shuffled), baseUrl });
    // What counts its readings is not the same by POST either, and what is shared may be changed meanwhile.
    const isSteady = sameAnswer(before, usual);
    const after = await callCurrent(context, subject);
    for (const reply of [first, second]) {
      judge(reply, undefined, [usual]).satisfies(
        isSteady ? sameAnswer(reply, usual) || sameAnswer(reply, after) : reply.outcome === "served",
        `as a POST: ${describeReply(usual)}`,
        describeReply(reply),
      );
    }
  },
});
