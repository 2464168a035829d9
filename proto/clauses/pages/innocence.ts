import type { PackageName } from "../../rpcs.ts";
import { clause, resolveClause } from "../index.ts";
import { innocence } from "../innocence.ts";
import { linkOf } from "../place.ts";
import { fileOf, page, table } from "./markdown.ts";

const intro =
  "A red verdict accuses a server. For each clause that fails a target this page says how a server that keeps the contract could still be taken for one that breaks it, and names the conforming variants of the embedded services that do just that: `prove` puts every case to them, and `hallmark serve --variant ID` serves one. Whoever makes a clause stricter asks these servers first.";

/** A clause as it stands in the ledger: `*.` is the clause of the first package that has it. */
function linked(id: string): string {
  const packages: readonly PackageName[] = ["alpha.v1", "beta.v1"];
  const full = id.startsWith("*.") ? packages.flatMap((name) => resolveClause(id, name) ?? [])[0]?.id : id;
  return full === undefined ? `\`${id}\`` : `[\`${id}\`](${fileOf(linkOf(clause(full)))})`;
}

/** The innocence of the clauses as a page. */
export function innocencePageText(): string {
  const rows = innocence.map(({ clause: id, could, variants }) => [
    linked(id),
    could,
    variants.map((variant) => `\`${variant}\``).join(", "),
  ]);
  return page("What a conforming server could still do", [
    intro,
    ...table(["clause", "a server that keeps the contract could still …", "variants"], rows),
  ]);
}
