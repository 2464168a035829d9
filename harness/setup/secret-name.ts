import type { RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import { textAt } from "../wire/json.ts";
import { mayBeRefusedForRequest } from "../wire/reply.ts";
import { freshRequestId } from "./request-id.ts";

/** A name as environment variables have them: of capitals, digits and underscores. */
function variable(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

/**
 * Whether a row makes secrets whose names are those of environment variables: one of a usual name is refused, and the same of such a
 * name is served. Which names are taken is not shown (docs/contract/readings.md#27), so it is looked up once per run.
 */
async function areVariables(context: CaseContext, row: RpcRow): Promise<boolean> {
  const learn = async ({ call, setup }: CaseContext) => {
    // The name is given: to ask for one would wait for this very answer.
    const request = await setup.request(row, undefined, { name: setup.name() });
    // How far readings lag behind is found with secrets of such names too: it is not waited for.
    if (!mayBeRefusedForRequest(await call(row, request, { unread: true }))) return false;
    const name = variable(textAt(request, "name"));
    return (
      (await call(row, { ...request, ...freshRequestId(row, setup), name }, { unread: true })).outcome === "served"
    );
  };
  return context.run.once(`${row.name} takes names of environment variables alone`, () =>
    // What cannot be asked, the cases show.
    context.shared(learn).catch(() => false),
  );
}

/** A name of the run for what a row makes, as the target takes it: in capitals for a secret where no other is. */
export async function nameFor(context: CaseContext, row: RpcRow, word?: string): Promise<string> {
  const name = context.setup.name(word);
  return row.subject === "secret" && (await areVariables(context, row)) ? variable(name) : name;
}
