import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { createChance } from "../chance.ts";
import { onError, onReply, onResponse } from "../edit.ts";
import { type Noted, notingIssued, notingValues, type Spelling, spellings } from "./spellings.ts";

/** The secret that leaks, as it is spelled; undefined while there is none. */
export type Secret = () => string | undefined;

/** Where a secret leaks to, in the calls of an RPC. */
export type Leak = (secret: Secret) => (row: RpcRow) => WireHooks;

/** Somewhere in the JSON of replies. */
export const inJson =
  (put: (json: JsonObject, text: string) => JsonObject): Leak =>
  (secret) =>
    onReply((json) => {
      const text = secret();
      return text === undefined ? json : put(json, text);
    });

/** In a member of its own. */
export const inMember = (name: string): Leak => inJson((json, text) => ({ ...json, [name]: text }));

/** In a field of the record. */
export const inRecord = (record: string, field: string): Leak =>
  inJson((json, text) => ({ ...json, [record]: { ...(json[record] as JsonObject), [field]: text } }));

export const inCursor: Leak = inJson((json, text) => ({ ...json, page: { nextCursor: text } }));

export const inHeader: Leak = (secret) =>
  onResponse((response) => {
    const text = secret();
    return text === undefined ? response : { ...response, headers: { ...response.headers, "x-trace": text } };
  });

export const inErrors: Leak = (secret) =>
  onError((error) => {
    const text = secret();
    return text === undefined ? error : { ...error, message: `${error.message} (${text})` };
  });

/** In a member at the front of a JSON object's text, just as it is spelled. */
export const inJsonText: Leak = (secret) =>
  onResponse((response) => {
    const json = Buffer.from(response.body).toString();
    const text = secret();
    if (text === undefined || !json.startsWith("{") || json.length < 3) return response;
    return { ...response, body: Buffer.from(`{"debug":"${text}",${json.slice(1)}`) };
  });

/** One reply in twenty. */
export function sometimes(leak: Leak): Leak {
  const chance = createChance(0.05);
  return (secret) =>
    leak(() => {
      const text = secret();
      return text !== undefined && chance() ? text : undefined;
    });
}

/** What was noted last, spelled. */
export const spelled =
  (noted: Noted, spelling: Spelling): Secret =>
  () =>
    noted.latest && spellings[spelling](noted.latest);

/** The secret value that came in last, at whichever RPC, leaks. */
export function leaking(spelling: Spelling, leak: Leak): (row: RpcRow) => WireHooks {
  return (row) => {
    const { noted, hooks } = notingValues();
    return { ...hooks, ...leak(spelled(noted, spelling))(row) };
  };
}

/** The credential that was issued last in a field, by whichever RPC or by the one called `from`, leaks. */
export function leakingIssued(
  field: string,
  spelling: Spelling,
  leak: Leak,
  from?: string,
): (row: RpcRow) => WireHooks {
  return (row) => {
    const { noted, hooks } = notingIssued(field, from);
    const leaked = leak(spelled(noted, spelling))(row);
    const reply: WireHooks["reply"] = (json, call) => {
      hooks.reply?.(json, call);
      return leaked.reply === undefined ? json : leaked.reply(json, call);
    };
    return { ...leaked, reply };
  };
}
