import type { Breach } from "../case/breach.ts";
import { isDefault, listAt, objectAt, sameJson, showJson } from "../wire/json.ts";
import { isObject, type Reply } from "../wire/reply.ts";

/**
 * Breaches of a listing: an item that does not match a filter of the request, or more items than its page size. A filter by
 * what changes, a state, is left to cases under which nothing changes: no listing promises to be of one moment. A field
 * that an item leaves out contradicts no filter: that it is left out is judged by itself.
 */
export function judgeListing(reply: Reply): Breach[] {
  const { row, request } = reply;
  if (reply.outcome !== "served" || row.list === undefined) return [];
  const items = listAt(reply.json, row.list.name);
  const breaches: Breach[] = row.filters
    .filter(({ field }) => field.fieldKind !== "enum")
    .flatMap((filter) => {
      const wanted = request[filter.name];
      const own = row.list?.field.message?.fields.find((field) => field.jsonName === filter.name);
      if (wanted === undefined || isDefault(wanted) || own === undefined) return [];
      return items.flatMap((item, index): Breach[] => {
        const value = isObject(item) ? item[filter.name] : undefined;
        if (value === undefined || sameJson(value, wanted)) return [];
        const at = `${row.list?.name}[${index}].${filter.name}`;
        return [
          { clause: "*.filters.hold", at, expected: `${showJson(wanted)}, as filtered`, actual: showJson(value) },
        ];
      });
    });
  const size = Number(objectAt(request, "page").pageSize ?? 0);
  if (size > 0 && items.length > size) {
    breaches.push({
      clause: "*.paging.size",
      at: row.list.name,
      expected: `at most ${size} items`,
      actual: `${items.length}`,
    });
  }
  return breaches;
}
