import type { JsonObject } from "@bufbuild/protobuf";
import { Change, Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import { forRpc, type WireHooks } from "../../reference/core/decoration.ts";
import type { Fault } from "../fault.ts";
import { applyOperator } from "./operator.ts";

const reading: readonly Effect[] = [Effect.READ, Effect.UPDATE];

/** Rows that answer with the record their request names. */
const sites = rpcs
  .filter((row) => row.record !== undefined && reading.includes(row.effect))
  .filter((row) => row.ids.some(({ facts }) => facts.names === row.subject))
  .map((row) => ({ row }));

/** The subject a request names, and the workspace and app it is in. */
function namesOf(row: RpcRow, { request }: Call): readonly [subject: string, place: string] {
  const of = (kinds: readonly string[]) =>
    JSON.stringify(row.ids.filter(({ facts }) => kinds.includes(facts.names)).map(({ name }) => request[name] ?? null));
  return [of([row.subject]), of(["workspace", "app"])];
}

/** Answers with the reply about another of the same workspace and app, once one was asked about. */
function showingAnother(row: RpcRow): WireHooks {
  const replies = new Map<string, Map<string, JsonObject>>();
  return {
    reply: forRpc(row.name, (json: JsonObject, call) => {
      const [subject, place] = namesOf(row, call);
      const inPlace = replies.get(place) ?? new Map<string, JsonObject>();
      replies.set(place, inPlace);
      const another = [...inPlace].find(([known]) => known !== subject)?.[1];
      inPlace.set(subject, json);
      return another ?? json;
    }),
  };
}

/** Whole records of another than was asked about. */
export const recordsOfAnother: readonly Fault[] = applyOperator({
  name: "record-of-another",
  area: "wire",
  says: () => "answers with the record of another",
  breaks: "*.records.identity",
  also: ({ row }) => (row.change === Change.REDELIVERS ? ["*.webhooks.redelivery"] : []),
  sites,
  plant: ({ row }) => showingAnother(row),
});
