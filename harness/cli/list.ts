import { clauses } from "../../proto/clauses/index.ts";
import { namedRows } from "../../reports/terminal/table.ts";
import { loadCases } from "../../suites/cases.ts";
import { loadFaults } from "../servers/faults/index.ts";
import { loadVariants } from "../servers/variants/index.ts";
import { UsageError } from "../target/load.ts";
import { exits } from "./exit.ts";
import { output } from "./output.ts";
import { outputColumns } from "./width.ts";

const listings: Readonly<Record<string, () => Promise<readonly { readonly id: string; readonly says: string }[]>>> = {
  cases: async () => (await loadCases()).map(({ id, says, clauses: cited }) => ({ id, says, clauses: cited })),
  clauses: async () => clauses,
  faults: async () => (await loadFaults()).map(({ id, says, breaks, rpc }) => ({ id, says, breaks, rpc })),
  variants: async () => (await loadVariants()).map(({ id, says, open }) => ({ id, says, open })),
};

/** Flags of `hallmark list`. */
export interface ListFlags {
  readonly json?: boolean;
  /** Words that have to stand in what is listed, in its id or its sentence; `*` stands for anything. */
  readonly filter?: string;
}

/** Lists what there is of a kind: a row each, or JSON. */
export async function list(what: string, { json, filter }: ListFlags): Promise<number> {
  const listing = listings[what];
  if (listing === undefined)
    throw new UsageError(`There is no list of ${what}; there are ${Object.keys(listings).join(", ")}.`);
  const fits = fitting(filter ?? "");
  const items = (await listing()).filter((item) => fits(Object.values(item).flat().join(" ")));
  if (items.length === 0) throw new UsageError(`--filter ${filter} fits none of the ${what}; try fewer words.`);
  const rows = items.map(({ id, says }) => [id, says] as const);
  const lines = json === true ? [JSON.stringify(items, undefined, 2)] : namedRows(rows, outputColumns());
  output.print(`${lines.join("\n")}\n`);
  return exits.held;
}

/** True for texts with every word of a filter in them, wherever and however written. */
function fitting(filter: string): (text: string) => boolean {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.split("*").filter((part) => part !== ""));
  return (text) => words.every((parts) => standInOrder(parts, text.toLowerCase()));
}

function standInOrder(parts: readonly string[], text: string): boolean {
  let at = 0;
  return parts.every((part) => {
    const found = text.indexOf(part, at);
    at = found + part.length;
    return found !== -1;
  });
}
