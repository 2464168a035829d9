import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Effect } from "../../proto/rpcs.ts";
import type { SeenExchange } from "../case/observer.ts";
import { idIn, recordIn } from "../setup/subject.ts";
import { idKey } from "../wire/json.ts";
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
  return {
    onExchange({ reply }) {
      if (reply?.outcome !== "served") return;
      const { row, request } = reply;
      if (row.effect === Effect.DELETE) {
        const named = row.ids.find(({ facts }) => facts.names === row.subject)?.name ?? "";
        const id = request[named];
        if (isObject(id)) deleted.add(idKey(id));
        return;
      }
      const id = idIn(reply);
      if (isObject(id)) known.set(idKey(id), recordIn(reply));
    },
    of: (id) => (deleted.has(idKey(id)) ? "deleted" : known.get(idKey(id))),
    shown: (id) => known.get(idKey(id)),
  };
}
