import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { WireHooks } from "../reference/core/decoration.ts";
import { forRpc } from "../reference/core/decoration.ts";

/** Changes one value; undefined takes its member away. */
export type Change = (value: JsonValue) => JsonValue | undefined;

/**
 * The JSON with the value at a path changed: `secret.createdAt`, `jobs[].state` for every element. Nothing happens
 * where the path leads nowhere.
 */
export function editAt(json: JsonObject, path: string, change: Change): JsonObject {
  return editValue(json, path.split(/\.|(?=\[\])/), change) as JsonObject;
}

function editValue(json: JsonValue, [step, ...rest]: readonly string[], change: Change): JsonValue {
  if (step === "[]") {
    if (!Array.isArray(json)) return json;
    const edit = rest.length === 0 ? change : (one: JsonValue) => editValue(one, rest, change);
    return json.map(edit).filter((one) => one !== undefined);
  }
  if (step === undefined || typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const { [step]: value, ...others } = json;
  if (value === undefined) return json;
  const changed = rest.length === 0 ? change(value) : editValue(value, rest, change);
  return changed === undefined ? others : { ...json, [step]: changed };
}

/** The JSON with the member at a path under another name. */
export function renameAt(json: JsonObject, path: string, name: string): JsonObject {
  const [parent = "", member = ""] = [path.slice(0, path.lastIndexOf(".")), path.slice(path.lastIndexOf(".") + 1)];
  return editAt(json, parent, (value) => {
    const { [member]: moved, ...others } = value as JsonObject;
    return moved === undefined ? value : { ...others, [name]: moved };
  });
}

/** A decoration that changes one value in the replies of one RPC. */
export function changedReply(rpc: string, path: string, change: Change): WireHooks {
  return { reply: forRpc(rpc, (json: JsonObject) => editAt(json, path, change)) };
}
