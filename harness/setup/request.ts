import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { subjectFieldOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import type { Place } from "./package.ts";
import { usualPageSize } from "./page-size.ts";
import { enumFilterOf, stateFields } from "./required-state.ts";
import { nameFor } from "./secret-name.ts";
import { unwatchedHook } from "./unwatched-hook.ts";

/**
 * A request a row serves.
 *
 * @param subject what it is about; undefined for rows that create or list
 * @param fields values that are given: nothing is chosen, or needed from the target file, in their place
 */
export async function validRequest(
  place: Place,
  row: RpcRow,
  subject: Subject | undefined,
  fields: JsonObject = {},
): Promise<JsonObject> {
  const { context, facts } = place;
  const request: JsonObject = {};
  for (const { jsonName } of row.input.fields) {
    const value = jsonName in fields ? fields[jsonName] : await chosenValue(place, row, jsonName, subject);
    if (value !== undefined) request[jsonName] = value;
  }
  const content = row.effect === Effect.CREATE ? facts.resources[row.subject]?.contentFields?.(context) : undefined;
  return { ...request, ...content, ...(row.effect === Effect.LIST ? subject?.within : undefined), ...fields };
}

/** What setup chooses for a field; undefined for one it leaves out. */
async function chosenValue(
  place: Place,
  row: RpcRow,
  field: string,
  subject: Subject | undefined,
): Promise<JsonValue | undefined> {
  const { context, facts } = place;
  if (field === row.requestId?.name) return context.setup.requestId();
  if (field === "workspaceId" || field === "appId") return place.tenant().fields[field];
  if (field === subjectFieldOf(row) && subject !== undefined) return subject.id;
  if (field === row.expectedVersion?.name) return subject?.version ?? "0";
  if (row.writeOnly.some(({ name }) => name === field)) return secretValue(context);
  // Whether a page, or its size, may be left out is not shown (docs/contract/readings.md#27).
  if (row.list !== undefined && field === "page") return { pageSize: await usualPageSize(context, row), cursor: "" };
  // A listing may be refused without a state too.
  if (field === enumFilterOf(row)?.name) return (await stateFields(context, row, subject))[field];
  const id = row.ids.find(({ name }) => name === field);
  if (id !== undefined) return facts.idFor(place, row, id.facts.names, subject);
  switch (field) {
    case "name":
      return nameFor(context, row);
    case "externalUserId":
      return context.setup.name();
    case "url":
      return unwatchedHook(context);
    case "enabled":
      // Set to what it is already, a server may see nothing to change.
      return subject?.kind === "memory_settings" ? !subject.record.enabled : true;
    default:
      return facts.valueFor(context, field, subject);
  }
}

/** A value for a secret, which is guarded from then on. */
function secretValue({ random, run }: CaseContext): string {
  const value = Buffer.from(random.token(40));
  run.secrets.register(value, "a secret's value", "secret value");
  return value.toString("base64");
}
