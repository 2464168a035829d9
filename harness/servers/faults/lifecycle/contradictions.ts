import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import { forRpc, type WireHooks } from "../../reference/core/decoration.ts";
import { type Change, changedReply } from "../edit.ts";

/** Ways of showing a value otherwise than it is. */
export const drop: Change = () => undefined;
export const rename: Change = (value) => `${String(value)}-2`;
export const shift: Change = (value) => new Date(Date.parse(String(value)) + 5000).toISOString();
export const more: Change = (value) => (typeof value === "number" ? value + 1 : String(BigInt(String(value)) + 1n));
export const another: Change = () => ({ value: "01890a5d-ac96-774b-bcce-b302099a8057" });

/** One field of one RPC's records, shown otherwise than every other reply shows it. */
export type Contradiction = readonly [rpc: string, path: string, what: string, says: string, change: Change];

/** What a contradiction is as a fault of a package, but for the ids that tell the packages' faults apart. */
export function contradict(packageName: string, [name, path, what, says, change]: Contradiction) {
  const rpc = `${packageName}.${name}`;
  const field = path.replaceAll("[]", "").replaceAll(".", "-");
  return {
    id: `${name.split("/")[1]}-${field}-${what}`,
    says: `${name} ${says}`,
    rpc,
    decoration: changedReply(rpc, path, change),
  };
}

/** Every reply of a reading RPC is that of the first time it was asked about that id. */
export function remembering(row: RpcRow): WireHooks {
  const first = new Map<string, JsonObject>();
  return {
    reply: forRpc(row.name, (json: JsonObject, call) => {
      const key = JSON.stringify(row.ids.map((id) => call.request[id.name] ?? null));
      const known = first.get(key) ?? json;
      first.set(key, known);
      return known;
    }),
  };
}
