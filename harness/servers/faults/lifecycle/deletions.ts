import { create, type JsonObject, type JsonValue, type Message } from "@bufbuild/protobuf";
import { deleteRowOf, isChangeable, recordFields } from "../../../../proto/resources.ts";
import { Effect, factsOf, type RpcRow, rpc, rpcs } from "../../../../proto/rpcs.ts";
import { type Call, tenantKey } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { changedReply } from "../edit.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { namedId, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { another, drop } from "../values.ts";

const deletes = rpcs.filter((row) => row.effect === Effect.DELETE);

/** The field of a deletion's reply that names what was deleted. */
function namedField(row: RpcRow): string {
  return row.output.fields.find((field) => factsOf(field).names === row.subject)?.localName ?? "";
}

/** Where a deletion's reply names what was deleted: in a field of its own, or in the record it ends with. */
function namedPath(row: RpcRow): string {
  return row.record === undefined ? namedField(row) : `${row.record.name}.${recordFields(row).id}`;
}

export const withoutEffect: readonly Fault[] = faultsAt(deletes, {
  id: "lifecycle/without-effect",
  says: "answers and deletes nothing",
  breaks: "*.deletion.effective",
  // Of many who delete it at one version every one is told that it did.
  entails: ["*.versioning.one-winner"],
  decorate: wrapping(() => ({ row, subject }, request) => {
    const named = namedField(row);
    const reply =
      row.record === undefined ? { [named]: readField(request, named) } : { [row.record.field.localName]: subject };
    return create(row.output, reply);
  }),
});

/** Every second deletion names something else, the others name nothing. */
export const wronglyNamed: readonly Fault[] = [
  ...faultsAt(
    deletes.filter((_, index) => index % 2 === 0),
    {
      id: "lifecycle/names-another",
      says: "names another id than the deleted",
      breaks: "*.deletion.names",
      entails: ["*.records.identity"],
      decorate: (row) => changedReply(row.name, namedPath(row), another),
    },
  ),
  ...faultsAt(
    deletes.filter((_, index) => index % 2 === 1),
    {
      id: "lifecycle/names-nothing",
      says: "names no id",
      breaks: "*.deletion.names",
      decorate: (row) => changedReply(row.name, namedPath(row), drop),
    },
  ),
];

/** A listing goes on showing what was deleted, on every page or on those that a cursor leads to. */
function listingDeleted(list: RpcRow, onLaterPages = false): SharedDecoration {
  const removal = deleteRowOf(list.subject, list.package);
  const field = list.list?.name ?? "";
  const known = new Map<string, JsonObject>();
  const deleted = new Set<string>();
  const { id: idField } = recordFields(list);
  const keyOf = (id: JsonValue | undefined) => JSON.stringify(id ?? null);
  return {
    reply(json, call) {
      const record = json[call.row.record?.name ?? ""] as JsonObject | undefined;
      if (removal !== undefined && call.rpc === removal.name)
        deleted.add(keyOf(record === undefined ? json[namedField(removal)] : record[idField]));
      else if (call.row.subject === list.subject && record !== undefined && !deleted.has(keyOf(record[idField])))
        known.set(keyOf(record[idField]), record);
      if (call.rpc !== list.name || (onLaterPages && !isLaterPage(call))) return json;
      const { workspaceId, customerUserId: user } = call.request;
      const isTheirs = (one: JsonObject) =>
        keyOf(one.workspaceId) === keyOf(workspaceId) &&
        (user === undefined || keyOf(one.customerUserId) === keyOf(user));
      const kept = [...known].flatMap(([id, one]) => (deleted.has(id) && isTheirs(one) ? [one] : []));
      return { ...json, [field]: [...((json[field] ?? []) as JsonValue[]), ...kept] };
    },
  };
}

/** Whether a listing is asked for another page than the first. */
function isLaterPage({ request }: Call): boolean {
  const { cursor = "" } = (request.page ?? {}) as { readonly cursor?: string };
  return cursor !== "";
}

export const deletedListed: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/ListSecrets",
    "alpha.v1.JobService/ListJobs",
    "alpha.v1.WebhookService/ListWebhookEndpoints",
  ].map(rpc),
  {
    id: "lifecycle/shows-deleted",
    says: "goes on showing what was deleted",
    breaks: "*.deletion.effective",
    // It shows it whatever is asked for.
    entails: ["*.filters.hold"],
    decorate: (row) => listingDeleted(row),
  },
);

export const deletedOnLaterPages: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/ListSecrets",
    "alpha.v1.WebhookService/ListWebhookEndpoints",
    "beta.v1.CustomerSecretService/ListSecrets",
    "beta.v1.SessionService/ListSessions",
    "beta.v1.WebhookService/ListWebhookEndpoints",
  ].map(rpc),
  {
    id: "lifecycle/shows-deleted-on-later-pages",
    says: "shows what was deleted on every page but the first",
    breaks: "*.deletion.effective",
    decorate: (row) => listingDeleted(row, true),
  },
);

/** Changes of what can be deleted. */
const changes = rpcs.filter(
  (row) => row.effect === Effect.UPDATE && isChangeable(row) && deleteRowOf(row.subject, row.package) !== undefined,
);

/** A record that was deleted is found again by whoever changes it, at the version it had. */
function found(row: RpcRow): SharedDecoration {
  const deletion = deleteRowOf(row.subject, row.package)?.name;
  const deleted = new Map<string, Message>();
  return {
    parts: ({ findSubject }) => ({
      findSubject(context) {
        const id = namedId(context);
        const table = context.world.tables[row.subject];
        const kept = deleted.get(id ?? "");
        if (context.row.name === row.name && kept !== undefined && table?.find(id ?? "") === undefined)
          table?.put(kept);
        const subject = findSubject(context);
        if (context.row.name === deletion && subject !== undefined) deleted.set(id ?? "", subject);
        return subject;
      },
    }),
  };
}

export const broughtBack: readonly Fault[] = faultsAt(changes, {
  id: "lifecycle/brings-back",
  says: "brings back what was deleted, at the version it had",
  breaks: "*.deletion.effective",
  decorate: found,
});

/** Deletes what is named, or addressed, like what was to be deleted, whoever's it is. */
const withNamesakes = (field: string) =>
  wrapping((next) => async (context, request) => {
    const { subject, world, row, tenant } = context;
    const table = world.tables[row.subject];
    const value = subject && readField(subject, field);
    const reply = await next(context, request);
    const all = table?.entries(tenantKey({ ...tenant, customerUserId: "" })) ?? [];
    for (const { record, deleted } of all) {
      if (!deleted && readField(record, field) === value) table?.remove(ownId(record, row));
    }
    return reply;
  });

function ownId(record: Message, row: RpcRow): string {
  const field = row.resource?.fields.find(({ jsonName }) => jsonName === recordFields(row).id)?.localName ?? "";
  return (readField(record, field) as { value: string } | undefined)?.value ?? "";
}

export const namesakesDeleted: readonly Fault[] = [
  ...faultsAt(["alpha.v1.SecretService/DeleteSecret", "beta.v1.CustomerSecretService/DeleteSecret"].map(rpc), {
    id: "lifecycle/deletes-namesakes",
    says: "deletes every secret of that name, whoever's it is",
    breaks: "*.deletion.names",
    decorate: withNamesakes("name"),
  }),
  ...faultsAt(
    ["alpha.v1.WebhookService/DeleteWebhookEndpoint", "beta.v1.WebhookService/DeleteWebhookEndpoint"].map(rpc),
    {
      id: "lifecycle/deletes-all-of-its-url",
      says: "deletes every endpoint of that url",
      breaks: "*.deletion.names",
      decorate: withNamesakes("url"),
    },
  ),
];
