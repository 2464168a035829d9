import type { CaseContext } from "../../../harness/case/context.ts";
import { listAll } from "../../../harness/setup/listing.ts";
import { needed } from "../../../harness/target/target.ts";
import type { Reply } from "../../../harness/wire/reply.ts";

/** The catalog as the RPC under test shows it: page by page, or mini app by mini app. */
export async function shownCatalog(context: CaseContext): Promise<readonly Reply[]> {
  const { row, setup, call, target } = context;
  if (row.list !== undefined) return (await listAll(context, row, setup.tenant())).replies;
  const { miniAppIds } = target.alpha;
  needed(miniAppIds[0], "alpha.miniAppIds", "mini apps publish their operations");
  return Promise.all(miniAppIds.map((miniAppId) => call(row, { ...setup.tenant(), miniAppId })));
}
