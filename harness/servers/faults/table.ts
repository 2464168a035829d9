import { type PackageName, type RpcRow, rpcs } from "../../../proto/rpcs.ts";
import { type DecorationOf, defineFault, type Fault, type RowOf, type SharedDecoration } from "./fault.ts";

/** What a fault breaks beside its clause. */
interface Besides {
  readonly also?: readonly string[];
  readonly entails?: readonly string[];
}

/** What is wrong with a method, the decoration or how it is made for the row, and what that breaks beside its clause. */
export type Entry<D> = readonly [says: string, decoration: D | ((row: RpcRow) => D), besides?: Besides];

/** By `Method-what-is-wrong`. */
type Entries<D> = Readonly<Record<string, Entry<D>>>;

/** By clause; in that `*.` stands for the package. */
export type FaultTable<D> = Readonly<Record<string, Entries<D>>>;

/** The row of the method that a name in a table begins with. */
function rowNamed(packageName: PackageName, name: string): RpcRow {
  const method = name.slice(0, name.indexOf("-"));
  const row = rpcs.find((one) => one.package === packageName && one.method === method);
  if (row === undefined) throw new Error(`${packageName} has no method ${method}, which the fault ${name} is of`);
  return row;
}

/** The faults of one area and package, as a table has them; `besides` is what all of them break. */
export function faultsOf<const Package extends PackageName>(
  area: string,
  packageName: Package,
  table: FaultTable<DecorationOf<Package>>,
  besides: Besides = {},
): readonly Fault[] {
  return Object.entries(table).flatMap(([breaks, faults]) =>
    Object.entries(faults).map(([name, [says, decoration, own]]) => {
      const row = rowNamed(packageName, name);
      return defineFault<string>({
        id: `${area}/${name}`,
        says: `${row.method}: ${says}`,
        breaks,
        ...besides,
        ...own,
        rpc: row.name,
        decoration: (typeof decoration === "function" ? decoration(row) : decoration) as SharedDecoration,
      });
    }),
  );
}

/** The same thing wrong at several rows. */
interface RowFault<Package extends PackageName> {
  /** `area/what-is-wrong`: the method is put between them. */
  readonly id: string;
  /** What it does, after the method's name. */
  readonly says: string;
  readonly breaks: string | ((row: RpcRow) => string);
  readonly also?: readonly string[];
  readonly entails?: readonly string[] | ((row: RpcRow) => readonly string[]);
  readonly decorate: (row: RowOf<Package>) => DecorationOf<Package>;
}

/** A fault for each of these rows. In clauses `*.` stands for the row's package. */
export function faultsAt<Package extends PackageName>(
  rows: readonly RowOf<Package>[],
  { id, says, breaks, also = [], entails = [], decorate }: RowFault<Package>,
): readonly Fault[] {
  return rows.map((row) => {
    const entailed = typeof entails === "function" ? entails(row) : entails;
    return defineFault<string>({
      id: id.replace("/", `/${row.method}-`),
      says: `${row.method} ${says}`,
      breaks: typeof breaks === "function" ? breaks(row) : breaks,
      ...(also.length > 0 && { also }),
      ...(entailed.length > 0 && { entails: entailed }),
      rpc: row.name,
      decoration: decorate(row) as SharedDecoration,
    });
  });
}

/** Entries of a table for several methods, of which `paths` says where the replies of each have their records. */
export function inEach<D>(paths: Readonly<Record<string, string>>, entries: (path: string) => Entries<D>): Entries<D> {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([method, path]) =>
      Object.entries(entries(path)).map(([what, entry]) => [`${method}-${what}`, entry]),
    ),
  );
}
