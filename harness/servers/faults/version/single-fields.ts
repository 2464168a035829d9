import type { Message } from "@bufbuild/protobuf";
import { storedFields, switches } from "../../../../proto/resources.ts";
import { rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
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
