import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { Effect, type FactField, type RpcRow } from "../../../../proto/rpcs.ts";
import type { Context } from "./context.ts";
import { readField, readIds } from "./fields.ts";
import { uuidPattern, uuidV7Pattern } from "./ids.ts";
import { refuseFields, type Violation } from "./refusal.ts";
import { isThere } from "./times.ts";

/** Refuses a request with absent or malformed ids, or that breaks the rule of its RPC; all violations at once. */
export function validate(context: Context): void {
  const { row, request, world } = context;
  const violations: Violation[] = [];
  const violate = (field: string, description: string) => void violations.push({ field, description });
  const pattern = world.choices.acceptedIds === "uuid v7" ? uuidV7Pattern : uuidPattern;
  const required = [...(row.requestId === undefined ? [] : [row.requestId]), ...row.ids];
  const spared = world.choices.readsNeedRequestId || !isReading(row) ? undefined : row.requestId;

  for (const fact of required) {
    const value = readField(request, fact.field.localName);
    if (value === undefined || value === "") {
      if (!fact.facts.filter && fact !== spared) violate(fact.name, "is required");
    } else if (isUuidField(fact)) {
      const named = Array.isArray(value)
        ? value.map((one: { value: string }, index) => [`${fact.name}[${index}]`, one.value] as const)
        : [[fact.name, (value as { value: string }).value] as const];
      for (const [name, id] of named) {
        if (!pattern.test(id) && !(fact.facts.filter && id === "")) violate(`${name}.value`, "is not a UUID");
      }
    }
  }
  for (const { jsonName, message } of row.input.fields) {
    if (message?.typeName !== TimestampSchema.typeName) continue;
    const text = context.call.request[jsonName];
    if (typeof text === "string" && !isThere(text)) violate(jsonName, "names no day and hour that there are");
  }
  world.rules[row.name]?.(request, violate);
  if (violations.length > 0) refuseFields(...violations);
}

/** Whether an RPC changes nothing. */
export function isReading({ effect }: RpcRow): boolean {
  return effect === Effect.READ || effect === Effect.LIST || effect === Effect.WATCH;
}

function isUuidField({ field }: FactField): boolean {
  return field.message?.name === "UUIDv7";
}

/** Ids named by a request's fields of one kind (`artifact`, `secret`, ...). */
export function idsOf(context: Context, names: string): string[] {
  return context.row.ids.filter((fact) => fact.facts.names === names).flatMap((fact) => readIds(context.request, fact));
}
