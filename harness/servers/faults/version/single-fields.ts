import { type Message, ScalarType } from "@bufbuild/protobuf";
import { storedFields, switches } from "../../../../proto/resources.ts";
import { rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { unlookedAt } from "./unlooked-at.ts";

/** Whether a call sets the text fields of a record to what they are, so that it can but switch it on or off. */
function onlySwitches({ row, request, world }: Context): boolean {
  const own = row.ids.find((id) => id.facts.names === row.subject);
  const id = readField(request, own?.field.localName ?? "") as { value?: string } | undefined;
  const record: Message | undefined = world.tables[row.subject]?.find(id?.value ?? "")?.record;
  if (record === undefined) return false;
  return storedFields(row)
    .filter((field) => field.scalar !== undefined && typeof readField(record, field.localName) === "string")
    .every(({ localName }) => readField(record, localName) === readField(request, localName));
}

/** Rows that change the url of an endpoint, and whether it is sent to. */
const endpoints = rpcs.filter((row) => row.subject === "webhook_endpoint" && switches(row));

export const switching: readonly Fault[] = faultsAt(endpoints, {
  id: "version/switches-at-any-version",
  says: "ignores the expected version where a record is but switched on or off",
  breaks: "*.versioning.expected",
  decorate: unlookedAt(onlySwitches),
});

/** Whether an update of several fields gives one text alone, or none. */
function givesOne({ row, request }: Context): boolean {
  const texts = storedFields(row).filter(({ scalar }) => scalar === ScalarType.STRING);
  return texts.filter(({ localName }) => readField(request, localName) !== "").length <= 1;
}

export const onlyOneGiven: readonly Fault[] = faultsAt(endpoints, {
  id: "version/gives-one-field-at-any-version",
  says: "ignores the expected version of an update that gives one text alone, and leaves the others as they are",
  breaks: "*.versioning.expected",
  decorate: (row) => ({ ...unlookedAt(givesOne)(row), choices: { emptyUpdateField: "keep" } }) as EitherDecoration,
});
