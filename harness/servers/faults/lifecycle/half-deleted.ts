import { create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { subjectFieldOf } from "../../../../proto/resources.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";

/** Disables an endpoint where it is to be deleted, and answers as if it were gone. */
const disabledOnly = wrapping(() => (context, request) => {
  const { row, world } = context;
  const field = subjectFieldOf(row) ?? "";
  const id = readField(request as Message, field);
  const record = world.tables.webhook_endpoint?.change(idText(id as { value: string }), {
    enabled: false,
  } as Partial<Message>);
  const shown = row.record === undefined ? { [field]: id } : { [row.record.field.localName]: record };
  return create(row.output, shown as MessageInitShape<typeof row.output>);
});

const halfDeleted = {
  "*.deletion.effective": {
    "DeleteWebhookEndpoint-disables-only": ["disables the endpoint, and leaves it there to be changed", disabledOnly],
  },
} as const;

/** Deletions that leave the record there. */
export const halfDeletedFaults: readonly Fault[] = [
  ...faultsOf("lifecycle", "alpha.v1", halfDeleted),
  ...faultsOf("lifecycle", "beta.v1", halfDeleted),
];
