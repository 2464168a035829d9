import { clauses } from "../../proto/clauses/index.ts";
import { loadCases } from "../../suites/cases.ts";
import { loadFaults } from "../servers/faults/index.ts";
import { loadVariants } from "../servers/variants/index.ts";
import { UsageError } from "../target/load.ts";
import { exits } from "./exit.ts";
import { output } from "./output.ts";

const listings: Readonly<Record<string, () => Promise<readonly { readonly id: string; readonly says: string }[]>>> = {
  cases: async () => (await loadCases()).map(({ id, says, clauses: cited }) => ({ id, says, clauses: cited })),
  clauses: async () => clauses,
  faults: async () => (await loadFaults()).map(({ id, says, breaks, rpc }) => ({ id, says, breaks, rpc })),
  variants: async () => (await loadVariants()).map(({ id, says, open }) => ({ id, says, open })),
};

/** Lists what there is of a kind: a line each, or JSON. */
export async function list(what: string, { json }: { readonly json?: boolean }): Promise<number> {
  const listing = listings[what];
  if (listing === undefined)
    throw new UsageError(`There is no list of ${what}; there are ${Object.keys(listings).join(", ")}.`);
  const items = await listing();
  const width = Math.max(...items.map(({ id }) => id.length));
  const text =
    json === true
      ? JSON.stringify(items, undefined, 2)
      : items.map(({ id, says }) => `${id.padEnd(width)}  ${says}`).join("\n");
  output.print(`${text}\n`);
  return exits.held;
}
