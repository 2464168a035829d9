import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { recordFields } from "../../../../proto/resources.ts";
import { Effect, factsOf, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { SharedDecoration } from "../fault.ts";
import { applyOperator, type Site } from "./operator.ts";
import { entailedBy } from "./replies-clauses.ts";

interface FieldSite extends Site {
  readonly field: DescField;
}

const messageOf = (row: RpcRow): DescMessage | undefined => row.record?.field.message;

/** Fields of a request that its record shows: not what says whose it is or which, nor its version. */
function storedFields(row: RpcRow): readonly FieldSite[] {
  const tenants = new Set(["workspace", "app", "customer_user", row.subject]);
  return (messageOf(row)?.fields ?? [])
    .filter((field) => row.input.fields.some(({ jsonName }) => jsonName === field.jsonName))
    .filter((field) => !tenants.has(factsOf(field).names))
    .map((field) => ({ row, field, at: `${row.record?.name}.${field.jsonName}` }));
}

const fieldsOf = (effect: Effect) =>
  rpcs.filter((row) => row.effect === effect && row.record !== undefined).flatMap(storedFields);

/** A field's value in an empty message. */
function emptyValue(row: RpcRow, { localName }: DescField): unknown {
  const message = messageOf(row);
  return message === undefined ? undefined : readField(create(message), localName);
}

/** Where a value that was not stored is missing: in the store alone, or in the reply too. */
type Told = "said" | "unsaid";

/** Stores another value of one field than the call brought. */
function storing(
  { row, field }: FieldSite,
  told: Told,
  instead: (context: Context, row: RpcRow, field: DescField) => unknown,
): SharedDecoration {
  return {
    handlers: {
      [row.name]: (next) => async (context, request) => {
        const reply = (await next(context, request)) as Message;
        const record = readField(reply, row.record?.field.localName ?? "") as Message | undefined;
        const message = messageOf(row);
        if (record === undefined || message === undefined) return reply;
        const stored = create(message, { ...record, [field.localName]: instead(context, row, field) });
        context.world.tables[row.subject]?.put(stored);
        return told === "said" ? reply : Object.assign(reply, { [row.record?.field.localName ?? ""]: stored });
      },
    },
  };
}

const before = ({ subject }: Context, _row: RpcRow, { localName }: DescField) =>
  subject === undefined ? undefined : readField(subject, localName);
const empty = (_context: Context, row: RpcRow, field: DescField) => emptyValue(row, field);

const disagreeing = ["*.records.agree", "*.records.filled", "*.records.identity", "*.grants.holds"];
const also = ({ row }: Site) =>
  disagreeing.filter((clause) => clause !== "*.grants.holds" || row.subject === "customer_user");

/** An operator over each field that calls of an effect set: its value is `kept` in place of the one that was sent. */
const forgetting = (
  name: string,
  says: (site: FieldSite) => string,
  effect: Effect,
  told: Parameters<typeof storing>[1],
  kept: Parameters<typeof storing>[2],
) =>
  applyOperator({
    name,
    area: "lifecycle",
    says,
    breaks: "*.records.echo",
    also,
    entails: ({ row, field }) =>
      entailedBy({ row, field, within: [messageOf(row)].filter((one) => one !== undefined) }),
    sites: fieldsOf(effect),
    plant: (site) => storing(site, told, kept),
  });

const leavesOut = ({ at }: FieldSite) => `stores everything but ${at}, and shows so`;

export const unstored = forgetting("update-leaves-out", leavesOut, Effect.UPDATE, "unsaid", before);

export const pretended = forgetting(
  "update-only-said",
  ({ at }) => `shows a new ${at}, and stores the old`,
  Effect.UPDATE,
  "said",
  before,
);

export const lost = forgetting("creation-leaves-out", leavesOut, Effect.CREATE, "unsaid", empty);

export const forgotten = forgetting(
  "creation-only-said",
  ({ at }) => `shows ${at} in its reply alone, and does not store it`,
  Effect.CREATE,
  "said",
  empty,
);

/** Kinds that nothing but a mutation changes. */
const still = new Set(["secret", "customer_user", "memory_item", "memory_settings", "webhook_endpoint", "artifact"]);

export const unchanged = applyOperator({
  name: "answers-without-effect",
  area: "lifecycle",
  says: () => "answers with a changed record, and changes nothing",
  breaks: "*.versioning.carried",
  // Where nothing moves the version, everybody at it wins.
  also: ["*.versioning.advances", "*.versioning.one-winner", "*.records.agree", "*.records.echo"],
  sites: rpcs
    .filter((row) => row.effect === Effect.UPDATE && row.record !== undefined && still.has(row.subject))
    .map((row) => ({ row })),
  plant: ({ row }) => ({
    handlers: {
      [row.name]: (next) => async (context, request) => {
        const { subject } = context;
        const reply = await next(context, request);
        if (subject !== undefined) context.world.tables[row.subject]?.put(subject);
        return reply;
      },
    },
  }),
});

/** Removes every other live record of the subject's kind that its tenant has. */
function removingOthers(row: RpcRow, context: Context): void {
  const table = context.world.tables[row.subject];
  const idField = row.record === undefined ? "id" : recordFields(row).id;
  // One user is no part of another.
  const tenant = row.subject === "customer_user" ? { ...context.tenant, customerUserId: "" } : context.tenant;
  for (const { record, deleted } of table?.entries(tenantKey(tenant)) ?? []) {
    const id = (readField(record, row.subject === "customer_user" ? "customerUserId" : idField) as { value: string })
      .value;
    if (!deleted) table?.remove(id, {}, false);
  }
}

export const sweeping = applyOperator({
  name: "deletes-all-of-its-kind",
  area: "lifecycle",
  says: () => "deletes everything of its kind, and names one",
  breaks: "*.deletion.names",
  sites: rpcs
    .filter(
      (row) =>
        row.effect === Effect.DELETE &&
        (row.record === undefined || row.record.field.message?.name !== "MemorySettings"),
    )
    .filter((row) => row.ids.some(({ facts }) => facts.names === row.subject))
    .map((row) => ({ row })),
  plant: ({ row }) => ({
    handlers: {
      [row.name]: (next) => async (context, request) => {
        const reply = await next(context, request);
        removingOthers(row, context);
        return reply;
      },
    },
  }),
});
