import type { RpcRow } from "../../proto/rpcs.ts";
import type { OtherTenant } from "../case/setup.ts";
import type { Place } from "./package.ts";

/** What there is of a tenant's own that requests name beside their subject. */
const partsOfTenant: ReadonlySet<string> = new Set(["customer_user", "app_version", "session"]);

/** The tenant of another place as a row names it, with a credential the row takes. */
export async function otherTenant(here: Place, there: Place, row: RpcRow): Promise<OtherTenant> {
  const fields = { ...there.tenant().fields };
  for (const { name, facts } of row.ids) {
    // What a row is about is its subject, no part of where it is.
    if (facts.names === row.subject || !partsOfTenant.has(facts.names)) continue;
    const id = await there.facts.idFor(there, row, facts.names, undefined);
    if (id !== undefined) fields[name] = id;
  }
  const sharesKey = there.key().token === here.key().token;
  return { key: await there.context.setup.credential(row), tenant: fields, sharesKey };
}
