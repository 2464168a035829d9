import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Gives the records that an RPC creates other ids outside than inside, wherever they stand. */
function aliasing(alias: (id: string) => string) {
  return ({ name, record }: RpcRow): WireHooks => {
    const outside = new Map<string, string>();
    const inside = new Map<string, string>();
    const renamed = (json: JsonObject, names: ReadonlyMap<string, string>) =>
      JSON.parse(
        [...names].reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(json)),
      ) as JsonObject;
    const own = record?.field.message?.fields[0];
    return {
      request: (json) => renamed(json, inside),
      error: (error) => renamed(error, outside),
      reply(json, call) {
        const made = call.rpc === name ? json[record?.name ?? ""] : undefined;
        const id = (made as Record<string, { value?: string }> | undefined)?.[own?.jsonName ?? ""]?.value;
        if (id !== undefined && !outside.has(id)) {
          const shown = alias(id);
          outside.set(id, shown);
          inside.set(shown, id);
        }
        return renamed(json, outside);
      },
    };
  };
}

const longAgo = aliasing((id) => `01800000-0000${id.slice(13)}`);
// The reference counts in the bits before these.
const constant = aliasing((id) => `${id.slice(0, 19)}8000-000000000000`);

/** Ids of version 7 whose parts are not what that version has them for. */
export const uuidTimeFaults: readonly Fault[] = [
  ...faultsOf("wire", "alpha.v1", {
    "*.wire.uuid-time": {
      "CreateSecret-ids-of-one-time": ["ids have the time of a day years ago", longAgo],
    },
  }),
  ...faultsOf("wire", "beta.v1", {
    "*.wire.uuid-time": {
      "CreateSecret-ids-without-chance": ["ids differ by their time and a count alone", constant],
    },
  }),
];
