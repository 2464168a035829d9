import { siblingsOf } from "../../../../proto/resources.ts";
import { Effect } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { applyOperator } from "./operator.ts";
import { brokenByValue, entailedBy, placeOf } from "./replies-clauses.ts";
import { isOpen } from "./replies-open.ts";
import { changedParent } from "./replies-plant.ts";
import { shownFields } from "./replies-shown.ts";
import type { FieldSite } from "./replies-walk.ts";

/** Two fields of one message that one value of each would fit. */
interface PairSite extends FieldSite {
  readonly other: FieldSite;
}

function typeOf({ field }: FieldSite): string {
  const { fieldKind, scalar, message, enum: values } = field;
  return `${fieldKind} ${scalar ?? ""} ${message?.typeName ?? ""} ${values?.typeName ?? ""}`;
}

/** What was just made, and what no call changes but the one that deletes it, is as it was made. */
function staysAsMade({ row }: FieldSite): boolean {
  const changes = siblingsOf(row).some(({ effect }) => effect === Effect.UPDATE);
  return row.effect === Effect.CREATE || (row.effect === Effect.LIST && !changes);
}

/** What was just made was changed when it was made; and the reference numbers the events of a run as it does its versions. */
function areAlike(site: FieldSite, other: FieldSite): boolean {
  const names = [site.field.jsonName, other.field.jsonName];
  if (names.includes("sequence") && names.includes("runResourceVersion")) return true;
  return staysAsMade(site) && names.includes("createdAt") && names.includes("updatedAt");
}

/** Each field with the one before it in its message that is of its type. */
function pairs(sites: readonly FieldSite[]): readonly PairSite[] {
  const latest = new Map<string, FieldSite>();
  return sites.flatMap((site): PairSite[] => {
    const key = `${placeOf(site)} ${typeOf(site)}`;
    const before = latest.get(key);
    latest.set(key, site);
    if (before === undefined || areAlike(before, site)) return [];
    return [{ ...before, other: site, which: `with-${site.field.jsonName}` }];
  });
}

/** The clauses that tell either of the two from what it should be; times that trade places run backwards. */
function brokenBySwap({ other, ...site }: PairSite): readonly string[] {
  const times = site.message?.name === "Timestamp" ? ["*.records.times"] : [];
  return [...new Set([...brokenByValue(site), ...brokenByValue(other), ...times])];
}

/** Fields of one message and type that have each other's values. */
export const swappedFields: readonly Fault[] = applyOperator<PairSite>({
  name: "fields-swapped",
  area: "lifecycle",
  says: ({ at, other }) => `sends in ${at} the value of ${other.field.jsonName}, and that in it`,
  breaks: (site) => brokenBySwap(site)[0] ?? "",
  also: (site) => brokenBySwap(site).slice(1),
  entails: (site) => [
    ...entailedBy(site),
    ...entailedBy(site.other),
    // What goes on has no end yet, and what waits was not delivered; neither has therefore the other time.
    ...([site, site.other].some(({ field }) => ["completedAt", "deliveredAt"].includes(field.jsonName))
      ? ["*.records.filled"]
      : []),
  ],
  sites: pairs(shownFields().filter((site) => !site.element && !isOpen(site))),
  plant: (site) =>
    changedParent(site, (parent) => {
      const [one, two] = [site.field.jsonName, site.other.field.jsonName];
      const { [one]: first, [two]: second, ...others } = parent;
      return {
        ...others,
        ...(second !== undefined && { [one]: second }),
        ...(first !== undefined && { [two]: first }),
      };
    }),
});
