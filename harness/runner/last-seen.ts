import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Effect } from "../../proto/rpcs.ts";
import type { SeenExchange } from "../case/observer.ts";
import { idIn, recordIn } from "../setup/subject.ts";
import { isObject } from "../wire/reply.ts";

/** What replies last showed of each record. It spares the undoing a look at what is known already. */
export interface LastSeen {
  onExchange(seen: SeenExchange): void;
  /** The record of an id as a reply showed it last, `deleted` once a deletion of it was served. */
  of(id: JsonValue): JsonObject | "deleted" | undefined;
  /** The record of an id as a reply showed it last, deleted or not. */
  shown(id: JsonValue): JsonObject | undefined;
}

/** Starts with nothing known. */
export function createLastSeen(): LastSeen {
  const known = new Map<string, JsonObject>();
  const deleted = new Set<string>();
  const keyOf = (id: JsonValue) => JSON.stringify(id).toLowerCase();
  return {
    onExchange({ reply }) {
      if (reply?.outcome !== "served") return;
      const { row, request } = reply;
      if (row.effect === Effect.DELETE) {
        const named = row.ids.find(({ facts }) => facts.names === row.subject)?.name ?? "";
        const id = request[named];
        if (isObject(id)) deleted.add(keyOf(id));
        return;
      }
      const id = idIn(reply);
      if (isObject(id)) known.set(keyOf(id), recordIn(reply));
    },
    of: (id) => (deleted.has(keyOf(id)) ? "deleted" : known.get(keyOf(id))),
    shown: (id) => known.get(keyOf(id)),
  };
}
