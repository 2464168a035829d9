import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../proto/rpcs.ts";
import type { Call } from "../reference/core/context.ts";
import { forRpc, type PlainResponse, type WireHooks } from "../reference/core/decoration.ts";

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

/** An id, as a key that is the same in either case of its letters. */
export const idKey = (id: JsonValue | undefined): string => JSON.stringify(id ?? null).toLowerCase();

/** The JSON with the member at a path under another name. */
export function renameAt(json: JsonObject, path: string, name: string): JsonObject {
  const [, parent = "", member = ""] = /^(?:(.*)\.)?([^.]+)$/.exec(path) ?? [];
  const renamed = (value: JsonObject): JsonObject => {
    const { [member]: moved, ...others } = value;
    return moved === undefined ? value : { ...others, [name]: moved };
  };
  return parent === "" ? renamed(json) : editAt(json, parent, (value) => renamed(value as JsonObject));
}

/** A decoration that changes one value in the replies of one RPC. */
export function changedReply(rpc: string, path: string, change: Change): WireHooks {
  return { reply: forRpc(rpc, (json: JsonObject) => editAt(json, path, change)) };
}

/** What is done to the calls of whichever RPC a fault is of. */
type AtRow = (row: RpcRow) => WireHooks;

/** One value of the replies, changed. */
export function inReply(path: string, change: Change): AtRow {
  return (row) => changedReply(row.name, path, change);
}

/** One object of the replies, a record or a message in it, changed. */
export function inObject(path: string, change: (object: JsonObject) => JsonObject | undefined): AtRow {
  return inReply(path, (value) => change(value as JsonObject));
}

/** The replies, changed as JSON. */
export function onReply(change: (json: JsonObject, call: Call) => JsonObject): AtRow {
  return (row) => ({ reply: forRpc(row.name, change) });
}

/** The requests, changed as JSON before they are read. */
export function onRequest(change: (json: JsonObject, call: Call) => JsonObject): AtRow {
  return (row) => ({ request: forRpc(row.name, change) });
}

/** One value of the requests, changed before they are read. */
export function inRequest(path: string, change: Change): AtRow {
  return onRequest((json) => editAt(json, path, change));
}

/** The Connect Error objects, changed. */
export function onError(change: (error: JsonObject, call: Call) => JsonObject): AtRow {
  return (row) => ({ error: forRpc(row.name, change) });
}

/** The HTTP responses to unary calls, changed. */
export function onResponse(change: (response: PlainResponse, call: Call) => PlainResponse): AtRow {
  return (row) => ({ http: forRpc(row.name, change) });
}

/** Refusals for a reason, answered as a failure of the server that says nothing more. */
export const refusedAsFailure = (reason: string): AtRow =>
  onResponse((response) => {
    const text = Buffer.from(response.body).toString();
    return response.status >= 400 && text.includes(`ERROR_REASON_${reason}`)
      ? { ...response, status: 500, body: Buffer.from('{"code":"internal","message":"it failed"}') }
      : response;
  });
