import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { recordsIn } from "../../../harness/oracles/records.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { listAt, showJson, textAt } from "../../../harness/wire/json.ts";
import { isObject, type Reply } from "../../../harness/wire/reply.ts";
import { Execution, type RpcRow } from "../../../proto/rpcs.ts";
import { shownCatalog } from "./shown.ts";

const modes: ReadonlyMap<Execution, string> = new Map([
  [Execution.SYNCHRONOUS, "EXECUTION_MODE_SYNCHRONOUS"],
  [Execution.ASYNCHRONOUS, "EXECUTION_MODE_ASYNCHRONOUS"],
]);

/** The RPC of the contract that an operation's procedure is, as a name or as a path; undefined for those of other services. */
function rpcOf({ peers }: RpcRow, operation: JsonObject): RpcRow | undefined {
  const procedure = textAt(operation, "procedure").replace(/^\//, "");
  return peers.find(({ name }) => name === procedure);
}

/** Judges what the catalog says of an operation that has a row of its own in the contract. */
function judgeOperation({ judge }: CaseContext, reply: Reply, operation: JsonObject, own: RpcRow, at: string): void {
  const { executionMode } = operation;
  const scopes = listAt(operation, "apiKeyScopes");
  const mode = modes.get(own.execution);
  judge(reply, "*.catalog.operations").satisfies(
    mode === undefined || executionMode === mode,
    `${mode}, as the contract's row of ${own.method} says`,
    showJson(executionMode),
    `${at}.executionMode`,
  );
  judge(reply, "*.catalog.operation-scopes").satisfies(
    scopes.includes(own.scope),
    `${own.scope}, which ${own.method} requires`,
    showJson([...scopes]),
    `${at}.apiKeyScopes`,
  );
  judge(reply, "*.catalog.metered").satisfies(
    !own.fixture || operation.free !== true,
    "no free operation: fixture RPCs are metered",
    showJson(operation.free),
    `${at}.free`,
  );
}

export const ownProcedures = defineRule({
  id: "lifecycle/catalog-agrees-with-the-rows-of-its-procedures",
  says: "an operation that is an RPC of the contract is executed, scoped and metered as that RPC's row says",
  clauses: ["*.catalog.operations", "*.catalog.operation-scopes", "*.catalog.metered"],
  rows: (row) => row.published && (row.record !== undefined || row.list !== undefined),
  async run(context) {
    const { row, needs } = context;
    let judged = 0;
    for (const reply of await shownCatalog(context)) {
      needs(reply);
      for (const { record, at } of recordsIn(reply)) {
        for (const [index, operation] of listAt(record, "operations").entries()) {
          const own = isObject(operation) ? rpcOf(row, operation) : undefined;
          if (own === undefined || !isObject(operation)) continue;
          judgeOperation(context, reply, operation, own, `${at}.operations[${index}]`);
          judged += 1;
        }
      }
    }
    if (judged === 0) throw new ChosenOtherwise("no operation of the catalog is an RPC of the contract");
  },
});
