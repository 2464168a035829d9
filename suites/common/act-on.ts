import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { callAsItIsNow } from "../../harness/setup/as-it-is-now.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { switches } from "../../proto/resources.ts";
import { Effect } from "../../proto/rpcs.ts";

/** Makes the row's call about a record: a deletion in the state that permits it, an update so that it turns the record off where it can. */
export async function actOn(context: CaseContext, subject: Subject): Promise<Reply> {
  const { row, setup, call } = context;
  const ready = row.effect === Effect.DELETE ? await setup.deletable(subject) : subject;
  const more: JsonObject = switches(row) ? { enabled: false } : {};
  return callAsItIsNow(context, ready, async (current) =>
    call(row, { ...(await setup.request(row, current)), ...more }),
  );
}
