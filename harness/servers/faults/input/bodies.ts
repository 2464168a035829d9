import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { onResponse } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** The JSON value in a text, or undefined. */
function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads a request that is no JSON object by another rule. */
const reading =
  (repair: (text: string) => string | undefined) =>
  ({ name }: RpcRow): WireHooks => ({
    requestBytes(bytes, call) {
      const text = Buffer.from(bytes).toString("utf8");
      if (call.rpc !== name || isObject(parse(text))) return bytes;
      return Buffer.from(repair(text) ?? text);
    },
  });

const completed = (text: string) => `${text}}`;

/** The first object of a text that goes on after it. */
function firstObject(text: string): string | undefined {
  for (let end = text.indexOf("}"); end !== -1; end = text.indexOf("}", end + 1)) {
    if (isObject(parse(text.slice(0, end + 1)))) return text.slice(0, end + 1);
  }
  return undefined;
}

function unwrapped(text: string): string | undefined {
  const value = parse(text);
  return Array.isArray(value) ? JSON.stringify(value[0]) : undefined;
}

function unquoted(text: string): string | undefined {
  const value = parse(text);
  return typeof value === "string" ? value : undefined;
}

/** True for a request that was read as a JSON object when it came. */
const wasRead = (call: Call) => Object.keys(call.request).length > 0;

const failing = (applies: (call: Call) => boolean) =>
  onResponse((response, call) =>
    response.status === 400 && applies(call)
      ? { ...response, status: 500, body: Buffer.from('{"code":"internal","message":"unexpected token"}') }
      : response,
  );
const malformedFails = ["a body that is no JSON is a server error", failing((call) => !wasRead(call))] as const;
const wrongTypeFails = ["a value of the wrong type is a server error", failing(wasRead)] as const;

/** Serves a body cut short, and then says that it refused it. */
const actingFirst = (row: RpcRow): WireHooks => ({
  ...reading(completed)(row),
  ...onResponse((response, call) =>
    response.status === 200 && !wasRead(call)
      ? { ...response, status: 400, body: Buffer.from('{"code":"invalid_argument"}') }
      : response,
  )(row),
});

/** Bodies that are no JSON objects. */
export const bodyFaults: readonly Fault[] = faultsOf("input", "alpha.v1", {
  "json.request.malformed": {
    "DeleteWebhookEndpoint-acts-before-it-refuses-a-body": [
      "deletes an endpoint for a body cut short, and then refuses it",
      actingFirst,
    ],
    "GetSecret-truncated-body-completed": ["completes a body cut short", reading(completed)],
    "RunStream-truncated-stream-body-completed": ["completes a message cut short", reading(completed)],
    "DeleteSecret-text-after-body-ignored": ["ignores what follows the object", reading(firstObject)],
    "WatchJob-text-after-stream-body-ignored": ["ignores what follows the object", reading(firstObject)],
    "RotateWebhookSecret-text-after-body-ignored-on-rotation": [
      "ignores what follows the object",
      reading(firstObject),
    ],
    "ListJobs-array-body-unwrapped": ["takes the object out of an array", reading(unwrapped)],
    "CancelJob-array-body-unwrapped-on-cancel": ["takes the object out of an array", reading(unwrapped)],
    "CreateSecret-string-body-parsed": ["parses the text inside a JSON string", reading(unquoted)],
    "CompleteArtifactUpload-string-body-parsed-on-completion": [
      "parses the text inside a JSON string",
      reading(unquoted),
    ],
  },
  "json.request.wrong-type-lenient": {
    "UpdateWebhookEndpoint-trailing-comma-taken": [
      "takes a trailing comma",
      reading((text) => text.replace(/,\}$/, "}")),
    ],
  },
  "json.request.malformed-answer": {
    "GetJob-malformed-body-is-a-server-error": malformedFails,
    "CreateArtifactUpload-malformed-body-is-a-server-error": malformedFails,
    "RotateSecret-wrong-type-is-a-server-error": wrongTypeFails,
    "ListArtifacts-wrong-type-is-a-server-error": wrongTypeFails,
  },
});
