import type { Message } from "@bufbuild/protobuf";
import { deleteRowOf } from "../../../../proto/resources.ts";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Handler } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

const nameOf = (message: Message | undefined) => String(message && readField(message, "name"));

/** Brings back a deleted record once another of its name is made. */
const reviving = (row: RpcRow): EitherDecoration => {
  const deleted = new Map<string, Message>();
  const deleting = deleteRowOf(row.subject, row.package, row.peers);
  const noting =
    (next: Handler): Handler =>
    async (context, request) => {
      const { subject } = context;
      const reply = await next(context, request);
      if (subject !== undefined) deleted.set(nameOf(subject), subject);
      return reply;
    };
  const bringingBack =
    (next: Handler): Handler =>
    async (context, request) => {
      const reply = await next(context, request);
      const old = deleted.get(nameOf(request));
      if (old !== undefined) context.world.tables[row.subject]?.put(old);
      return reply;
    };
  return { handlers: { [row.name]: bringingBack, [deleting?.name ?? ""]: noting } } as EitherDecoration;
};

const revived = {
  "*.deletion.effective": {
    "CreateSecret-revives-deleted-namesake": [
      "brings back a deleted secret beside the new one of its name",
      reviving,
    ] as const,
  },
};

/** Records that a new one of their name brings back from their deletion. */
export const revivedNames: readonly Fault[] = [
  ...faultsOf("lifecycle", "alpha.v1", revived),
  ...faultsOf("lifecycle", "beta.v1", revived),
];
