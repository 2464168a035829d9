import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Change } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { applyOperator } from "./operator.ts";
import { brokenByValue, entailedBy, isInRecord } from "./replies-clauses.ts";
import { changedField, changedParent } from "./replies-plant.ts";
import { reachedFields, shownFields } from "./replies-shown.ts";
import type { FieldSite } from "./replies-walk.ts";

/** Values of one type in another JSON form than the contract gives that type. */
export interface Form {
  readonly name: string;
  /** What the values are instead: `a bare string`. */
  readonly as: string;
  readonly breaks: string | ((site: FieldSite) => string);
  /** True for the fields of that type. */
  readonly fits: (site: FieldSite) => boolean;
  readonly change: (site: FieldSite) => Change;
  /** How the default is sent in that form. Then fields the reference leaves out stand in its replies so, which is as wrong. */
  readonly unset?: JsonValue;
  /**
   * Planted at the first fitting field of each message of each RPC only. One rule reads a type wherever it stands: of a
   * type's second and third wrong form it is enough to know that every message is looked into.
   */
  readonly sparse?: boolean;
}

/** The first of the sites in each message of each RPC. */
export function firstOfMessage(sites: readonly FieldSite[]): readonly FieldSite[] {
  const seen = new Set<string>();
  return sites.filter(({ row, within }) => {
    const key = `${row.name} ${within.map(({ name }) => name).join(" ")}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The faults of a wrong form: one for each field of the type, in the replies of every RPC. */
export function plantForm({ name, as, breaks, fits, change, unset, sparse = false }: Form): readonly Fault[] {
  const sites = (unset === undefined ? shownFields() : reachedFields()).filter(fits);
  return applyOperator<FieldSite>({
    name,
    area: "wire",
    says: ({ at }) => `sends ${at} as ${as}`,
    breaks,
    // In another form it is another value to whoever compares it with what it should be.
    entails: (site) => [
      ...(isInRecord(site) ? ["*.records.agree", "*.records.identity"] : brokenByValue(site)),
      ...entailedBy(site),
    ],
    sites: sparse ? firstOfMessage(sites) : sites,
    plant: (site) =>
      unset === undefined || site.element
        ? changedField(site, change(site))
        : changedParent(site, (parent) => withForm(parent, site, change(site), unset)),
  });
}

function withForm(parent: JsonObject, { field }: FieldSite, change: Change, unset: JsonValue): JsonObject {
  const value = parent[field.jsonName];
  const sent = value === undefined ? unset : change(value);
  return sent === undefined ? parent : { ...parent, [field.jsonName]: sent };
}
