import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Effect, factsOf, resourceOf } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { applyOperator } from "./operator.ts";
import { brokenByRedelivery, brokenByValue, entailedBy, isOfRecord, tenantKinds } from "./replies-clauses.ts";
import { isOpen } from "./replies-open.ts";
import { changedField } from "./replies-plant.ts";
import { shownFields } from "./replies-shown.ts";
import type { FieldSite } from "./replies-walk.ts";

/** The id that differs in its last digit: of the same time and form, and of nothing. */
function nextTo(id: JsonValue): JsonObject {
  const text = String((id as JsonObject).value ?? "");
  const last = Number.parseInt(text.slice(-1), 16) ^ 1;
  return { value: `${text.slice(0, -1)}${last.toString(16)}` };
}

/** The id of an event in a stream of events: it is what they say it is, as long as it is always the same. */
const isOfEvent = (site: FieldSite) => site.row.stream && factsOf(site.field).names === "event";

const ids = shownFields().filter((site) => site.message?.name === "UUIDv7" && !isOpen(site) && !isOfEvent(site));

const isTenant = (site: FieldSite) => isOfRecord(site) && tenantKinds.has(factsOf(site.field).names) && !isOwn(site);

/** True for the id of the record itself, or, where no record is shown, of what the row is about. */
function isOwn({ row, field, within }: FieldSite): boolean {
  const message = within.at(-1);
  const kind = message === undefined ? undefined : resourceOf(message);
  return factsOf(field).names === (kind ?? row.subject);
}

/** Where the id of what was made is no other's, the caller meets nothing under it. */
function brokenByOwnId(site: FieldSite): readonly string[] {
  const broken = [...brokenByValue(site), ...brokenByRedelivery(site)];
  if (site.row.effect === Effect.WATCH) return [...broken, "*.watch.subject"];
  return site.row.effect === Effect.DELETE ? [...broken, "*.deletion.names"] : broken;
}

/** Records that name another workspace, app or user than they are of. */
export const tenantsOfAnother: readonly Fault[] = applyOperator<FieldSite>({
  name: "tenant-of-another",
  area: "wire",
  says: ({ at }) => `names another tenant's id in ${at}`,
  breaks: "*.records.identity",
  entails: entailedBy,
  sites: ids.filter(isTenant),
  plant: (site) => changedField(site, nextTo),
});

/** Replies that give what they are about another id. */
export const idsOfAnother: readonly Fault[] = applyOperator<FieldSite>({
  name: "id-of-another",
  area: "wire",
  says: ({ at }) => `shows an id in ${at} that is not the record's own`,
  breaks: (site) => brokenByOwnId(site)[0] ?? "",
  also: (site) => brokenByOwnId(site).slice(1),
  sites: ids.filter((site) => isOwn(site)),
  plant: (site) => changedField(site, nextTo),
});

/** Replies that link what they are about to something else. */
export const linksOfAnother: readonly Fault[] = applyOperator<FieldSite>({
  name: "link-of-another",
  area: "lifecycle",
  says: ({ at }) => `names something else in ${at}`,
  breaks: (site) => brokenByValue(site)[0] ?? "",
  also: (site) => brokenByValue(site).slice(1),
  entails: entailedBy,
  sites: ids.filter((site) => !isTenant(site) && !isOwn(site)),
  plant: (site) => changedField(site, nextTo),
});
