import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { Setup, Subject } from "../case/setup.ts";
import { shapeOf } from "../generate/shape.ts";
import { NotExercised } from "../target/target.ts";
import { isDefault } from "../wire/json.ts";
import { isObject } from "../wire/reply.ts";

/** Rows whose page must hold one item at least: small enough to be cut, large enough to show something. */
const pageSize = 3;

/**
 * A valid request with every field in it that can be filled without changing what the call is about: the page, filters
 * that fit the subject, lists of things that exist. What the target file cannot provide is left out.
 */
export async function fillRequest(
  setup: Setup,
  row: RpcRow,
  valid: JsonObject,
  subject: Subject | undefined,
): Promise<JsonObject> {
  const request = { ...valid };
  for (const field of row.input.fields) {
    const { jsonName } = field;
    const page = field.fieldKind === "message" ? pageOf(field.message, valid[jsonName]) : undefined;
    if (request[jsonName] !== undefined && page === undefined) continue;
    const id = row.ids.find((one) => one.name === jsonName);
    let value: JsonValue | undefined;
    if (jsonName === row.resumeAfter?.name) value = "0";
    else if (row.filters.some((filter) => filter.name === jsonName)) value = subject?.record[jsonName];
    else if (id !== undefined && field.fieldKind === "list") value = await sharedId(setup, id.facts.names);
    else value = page;
    if (value !== undefined && !isDefault(value)) request[jsonName] = value;
    else if (jsonName === row.resumeAfter?.name) request[jsonName] = "0";
  }
  return request;
}

async function sharedId(setup: Setup, kind: string): Promise<JsonValue | undefined> {
  try {
    return [(await setup.shared(kind)).id];
  } catch (error) {
    if (error instanceof NotExercised) return undefined;
    throw error;
  }
}

/** A page, no larger than the one that is asked for anyway: a target may refuse more. */
function pageOf(message: DescMessage, asked: JsonValue | undefined): JsonObject | undefined {
  if (message.name !== "PageRequest") return undefined;
  const size = message.fields.find((field) => shapeOf(field).kind === "uint32");
  if (size === undefined) return undefined;
  const usual = isObject(asked) ? Number(asked[size.jsonName] ?? pageSize) : pageSize;
  return { [size.jsonName]: Math.min(pageSize, usual), cursor: "" };
}

/** A request of fresh ids that name nothing: for targets the suite has no key to make something with. */
export function blindRequest(row: RpcRow, freshId: () => JsonValue): JsonObject {
  const ids = row.input.fields.filter((field) => field.fieldKind === "message" && field.message.name === "UUIDv7");
  return Object.fromEntries(ids.map((field) => [field.jsonName, freshId()]));
}
