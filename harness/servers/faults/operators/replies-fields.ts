import { type JsonValue, ScalarType } from "@bufbuild/protobuf";
import type { Fault } from "../fault.ts";
import { applyOperator } from "./operator.ts";
import { brokenByAbsence, brokenByValue, entailedBy, isOfReply, placeOf } from "./replies-clauses.ts";
import { isOpen } from "./replies-open.ts";
import { changedField } from "./replies-plant.ts";
import { shownFields } from "./replies-shown.ts";
import type { FieldSite } from "./replies-walk.ts";

/** Fields with a value that somebody who reads the reply knows they ought to have. */
const determined = shownFields().filter((site) => !site.element && !isOpen(site));

/** The JSON a server that writes out defaults gives a field nobody set. */
function defaultOf({ field }: FieldSite): JsonValue {
  switch (field.fieldKind) {
    case "list":
      return [];
    case "map":
      return {};
    case "enum":
      return field.enum.values[0]?.name ?? 0;
    case "message":
      return field.message.name === "Timestamp"
        ? "1970-01-01T00:00:00Z"
        : field.message.name === "Duration"
          ? "0s"
          : {};
    case "scalar":
      return defaultOfScalar(field.scalar);
  }
}

function defaultOfScalar(type: ScalarType): JsonValue {
  switch (type) {
    case ScalarType.BOOL:
      return false;
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return "0";
    case ScalarType.UINT32:
      return 0;
    default:
      return "";
  }
}

/** Kinds that come about by what an input does, and are made known by their listing alone. */
const byInput = new Set(["artifact", "memory_item"]);

/** An empty listing says no more than that the input did not do what the target file says of it. */
function lookUnmade({ row, at }: FieldSite): string | undefined {
  const alone = row.package === "beta.v1" && byInput.has(row.subject) && at === row.list?.name;
  return alone ? `the ${row.subject} is made known by this listing alone: none listed means none made` : undefined;
}

/** An event may leave out what may be left out of it (Events 1). */
function optionalInEvent({ at }: FieldSite): string | undefined {
  return at === "event.error" ? "the error of an event is optional" : undefined;
}

/** Why nobody can tell that a field is left out, or at its default. */
const whyOpen = (site: FieldSite) => lookUnmade(site) ?? optionalInEvent(site);

/** Fields that replies of one RPC leave out. */
export const droppedFields: readonly Fault[] = applyOperator<FieldSite>({
  name: "field-dropped",
  area: "lifecycle",
  says: ({ at }) => `leaves ${at} out`,
  breaks: (site) => brokenByAbsence(site)[0] ?? "",
  also: (site) => brokenByAbsence(site).slice(1),
  entails: entailedBy,
  sites: determined,
  equivalent: whyOpen,
  plant: (site) => changedField(site, () => undefined),
});

/** The kind of JSON value a field has, by which its default differs. */
function kindOf({ field }: FieldSite): string {
  return field.message?.name ?? `${field.fieldKind} ${field.scalar ?? ""}`;
}

/** One field of each kind in each message: what is sent empty reads as what is left out does, but for times. */
function oneOfEachKind(sites: readonly FieldSite[]): readonly FieldSite[] {
  return [...new Map(sites.map((site) => [`${placeOf(site)} ${kindOf(site)}`, site])).values()];
}

const isTime = ({ message }: FieldSite) => message?.name === "Timestamp";

/**
 * The clauses a default breaks. A time that was never set is a time all the same, only another one: it has expired, or
 * stands before what it follows. A member of a oneof that is set and empty is there, and is nothing.
 */
function brokenByDefault(site: FieldSite): readonly string[] {
  const { row, field } = site;
  if (field.oneof !== undefined) {
    return field === row.record?.field ? ["*.watch.subject", "*.records.filled"] : ["*.watch.heartbeat"];
  }
  if (!isTime(site)) return brokenByAbsence(site);
  const expiry = row.package === "alpha.v1" ? "*.artifacts.urls-expire-later" : "*.urls.expire-later";
  const own = isOfReply(site) && field.jsonName === "expiresAt" ? [expiry] : brokenByValue(site);
  return [...own, "*.records.times"];
}

/** Fields that replies of one RPC send with their default. */
export const emptiedFields: readonly Fault[] = applyOperator<FieldSite>({
  name: "field-emptied",
  area: "lifecycle",
  says: ({ at }) => `sends ${at} empty`,
  breaks: (site) => brokenByDefault(site)[0] ?? "",
  also: (site) => brokenByDefault(site).slice(1),
  entails: entailedBy,
  sites: oneOfEachKind(determined),
  equivalent: whyOpen,
  plant: (site) => changedField(site, () => defaultOf(site)),
});
