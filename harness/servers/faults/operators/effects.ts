import { create, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { recordFields } from "../../../../proto/resources.ts";
import { Effect, factsOf, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { recordIn, store, storeShown, wrapping } from "../steps.ts";
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

/** What another value that is stored is seen by: readings alone, or the reply of the call too. */
type Seen = "later" | "in the reply";

/** What is stored in place of the value that was sent. */
type Instead = (context: Context, site: FieldSite) => unknown;

/** Stores another value of one field than the call brought. */
const storing = (site: FieldSite, seen: Seen, instead: Instead) =>
  wrapping((next) => async (context, request) => {
    const { row, field } = site;
    const reply = await next(context, request);
    const record = recordIn(context, reply);
    const message = messageOf(row);
    if (record === undefined || message === undefined) return reply;
    const stored = create(message, { ...record, [field.localName]: instead(context, site) });
    if (seen === "in the reply") return storeShown(context, reply, stored);
    store(context, stored);
    return reply;
  })(site.row);

const before: Instead = ({ subject }, { field }) =>
  subject === undefined ? undefined : readField(subject, field.localName);
const empty: Instead = (_context, { row, field }) => emptyValue(row, field);

const disagreeing = ["*.records.agree", "*.records.filled", "*.records.identity", "*.grants.holds"];
const also = ({ row }: Site) =>
  disagreeing.filter((clause) => clause !== "*.grants.holds" || row.subject === "customer_user");

/** An operator over each field that calls of an effect set: its value is `kept` in place of the one that was sent. */
const forgetting = (name: string, says: (site: FieldSite) => string, effect: Effect, seen: Seen, kept: Instead) =>
  applyOperator({
    name,
    area: "lifecycle",
    says,
    breaks: "*.records.echo",
    also,
    entails: ({ row, field }) =>
      entailedBy({ row, field, within: [messageOf(row)].filter((one) => one !== undefined) }),
    sites: fieldsOf(effect),
    plant: (site) => storing(site, seen, kept),
  });

const leavesOut = ({ at }: FieldSite) => `stores everything but ${at}, and shows so`;

export const updateForgets = forgetting("update-leaves-out", leavesOut, Effect.UPDATE, "in the reply", before);

export const updateOnlyShows = forgetting(
  "update-only-said",
  ({ at }) => `shows a new ${at}, and stores the old`,
  Effect.UPDATE,
  "later",
  before,
);

export const creationForgets = forgetting("creation-leaves-out", leavesOut, Effect.CREATE, "in the reply", empty);

export const creationOnlyShows = forgetting(
  "creation-only-said",
  ({ at }) => `shows ${at} in its reply alone, and does not store it`,
  Effect.CREATE,
  "later",
  empty,
);

/** Kinds that nothing but a mutation changes. */
const steady = new Set(["secret", "customer_user", "memory_item", "memory_settings", "webhook_endpoint", "artifact"]);

export const withoutEffect = applyOperator({
  name: "answers-without-effect",
  area: "lifecycle",
  says: () => "answers with a changed record, and changes nothing",
  breaks: "*.versioning.carried",
  // Where nothing moves the version, everybody at it wins.
  also: ["*.versioning.advances", "*.versioning.one-winner", "*.records.agree", "*.records.echo"],
  sites: rpcs
    .filter((row) => row.effect === Effect.UPDATE && row.record !== undefined && steady.has(row.subject))
    .map((row) => ({ row })),
  plant: ({ row }) =>
    wrapping((next) => async (context, request) => {
      const { subject } = context;
      const reply = await next(context, request);
      if (subject !== undefined) store(context, subject);
      return reply;
    })(row),
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

export const everythingDeleted = applyOperator({
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
  plant: ({ row }) =>
    wrapping((next) => async (context, request) => {
      const reply = await next(context, request);
      removingOthers(row, context);
      return reply;
    })(row),
});
