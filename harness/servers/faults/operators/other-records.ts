import { isDeepStrictEqual } from "node:util";
import type { Message } from "@bufbuild/protobuf";
import { isChangedAtItsVersion } from "../../../../proto/resources.ts";
import { factsOf, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { wrapping } from "../steps.ts";
import { applyOperator } from "./operator.ts";

/** The field of a row's records by which the reference's table tells them apart: settings are told by their user. */
function keyOf(row: RpcRow): string {
  const fields = row.record?.field.message?.fields ?? [];
  const key =
    fields.find((field) => factsOf(field).ownId) ?? fields.find((field) => factsOf(field).names === row.subject);
  return key?.localName ?? "customerUserId";
}

const idOf = (row: RpcRow, record: Message | undefined) =>
  idText(record && (readField(record, keyOf(row)) as { value: string } | undefined));

/** What a call changed in a record, but for what each change moves. */
function changesOf(row: RpcRow, before: Message, after: Message): object {
  const changed = (row.record?.field.message?.fields ?? []).filter(
    (field) =>
      !factsOf(field).resourceVersion &&
      !factsOf(field).changedAt &&
      !isDeepStrictEqual(readField(before, field.localName), readField(after, field.localName)),
  );
  return Object.fromEntries(changed.map(({ localName }) => [localName, readField(after, localName)]));
}

/** Makes the change that a call made of its own record in every other live one of its kind that the workspace and app have. */
function changeOthers(row: RpcRow, context: Context, before: Message): void {
  const table = context.world.tables[row.subject];
  const own = idOf(row, before);
  const after = table?.find(own)?.record;
  if (table === undefined || after === undefined) return;
  const changes = changesOf(row, before, after);
  for (const { record, deleted } of table.entries(tenantKey({ ...context.tenant, customerUserId: "" }))) {
    const id = idOf(row, record);
    if (!deleted && id !== own) table.change(id, changes);
  }
}

/** Memory settings are another user's each; content that nobody looked at becomes available with the rest. */
const entailed: Readonly<Record<string, readonly string[]>> = {
  memory_settings: ["*.isolation.named-user", "*.isolation.user-mutate"],
  artifact: ["*.artifacts.wrong-content"],
};

export const everythingUpdated = applyOperator({
  name: "updates-all-of-its-kind",
  area: "lifecycle",
  says: () => "makes the same change in every record of its kind, and shows one",
  breaks: "*.records.untouched",
  entails: ({ row }) => entailed[row.subject] ?? [],
  sites: rpcs.filter(isChangedAtItsVersion).map((row) => ({ row })),
  plant: ({ row }) =>
    wrapping((next) => async (context, request) => {
      const { subject } = context;
      const reply = await next(context, request);
      if (subject !== undefined) changeOthers(row, context, subject);
      return reply;
    })(row),
});
