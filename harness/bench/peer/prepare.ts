import type { JsonObject } from "@bufbuild/protobuf";
import { subjectFieldOf } from "../../../proto/resources.ts";
import type { RpcRow } from "../../../proto/rpcs.ts";
import { defineRule } from "../../case/case.ts";
import { runAll } from "../../runner/drive.ts";
import { createOrder } from "../../runner/order.ts";
import { checkTarget } from "../../target/load.ts";
import type { TargetFile } from "../../target/schema.ts";
import { valueAt } from "../../wire/json.ts";
import type { KnownValues } from "./json-schema.ts";

/** A call that a server is ready for: what it is about is there, and the credential is good for it. */
export interface ReadyCall {
  readonly row: RpcRow;
  readonly request: JsonObject;
  readonly token: string;
  /** Where it is to be sent, if not to the RPC's usual base URL. */
  readonly baseUrl: string | undefined;
}

/**
 * Makes on a server what each of some RPCs needs, by the suite's own setup, and leaves it there: a generic tool is not to fail for
 * want of a workspace, a customer user or a job. What a faulty server does not give has no call.
 */
export async function prepareCalls(file: TargetFile, rows: readonly RpcRow[]): Promise<readonly ReadyCall[]> {
  const ready: ReadyCall[] = [];
  const prepare = defineRule({
    id: "lifecycle/call-is-prepared",
    says: "a call can be prepared",
    clauses: ["*.endpoints.served"],
    rows: (row) => rows.includes(row),
    async run({ row, setup }) {
      const subject = await setup.subjectOf(row);
      const request = await setup.request(row, subject);
      const { token } = await setup.credential(row);
      ready.push({ row, request, token, baseUrl: setup.baseUrl(row, subject) });
    },
  });
  const order = createOrder({ target: checkTarget(file, "the target of the bench"), seed: 1, runs: 1 }, [prepare]);
  await runAll(order, [prepare], { skipCleanup: "all" });
  return ready;
}

/** What calls name beside their own subject, by kind: workspace, app, customer user … */
export function knownIn(calls: readonly ReadyCall[]): KnownValues {
  const named = calls.flatMap(({ row, request }) =>
    row.ids
      .filter(({ name, facts }) => name !== subjectFieldOf(row) && !facts.filter)
      .map(({ name, facts }) => [facts.names, valueAt(request, `${name}.value`) ?? request[name]] as const),
  );
  const texts = named.flatMap(([kind, value]) => (typeof value === "string" ? [[kind, value] as const] : []));
  const kinds = Map.groupBy(texts, ([kind]) => kind);
  return Object.fromEntries([...kinds].map(([kind, all]) => [kind, [...new Set(all.map(([, value]) => value))]]));
}
