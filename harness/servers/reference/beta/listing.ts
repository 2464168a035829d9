import type { Message } from "@bufbuild/protobuf";
import type { Context } from "../core/context.ts";
import { type Page, pageOf } from "../core/paging.ts";
import type { Table } from "../core/store.ts";
import type { BetaContext } from "./world.ts";

/**
 * A page of a table's records of the tenant asked for, of one owner where that is not empty, that `fits`; `filter` names
 * what fits, for the cursor.
 */
export function pageOfTable<T extends Message>(
  context: BetaContext,
  requested: { pageSize: number; cursor: string } | undefined,
  table: Table<T>,
  { fits = () => true, filter = "", owner }: { fits?: (record: T) => boolean; filter?: string; owner?: string } = {},
): Page<T> {
  const source = (tenant: string) => table.entries(tenant, owner).filter(({ record }) => fits(record));
  return pageOf(context as Context, requested, source, filter);
}
