import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { deleteRowOf, recordFields } from "../../../../proto/resources.ts";
import { Effect, factsOf, type RpcRow, rpc, rpcs } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import { changedReply } from "../edit.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { wrapping } from "../steps.ts";
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

/** A listing goes on showing what was deleted. */
function listingDeleted(list: RpcRow): SharedDecoration {
  const removal = deleteRowOf(list.subject, list.package);
  const field = list.list?.name ?? "";
  const known = new Map<string, JsonValue>();
  const deleted = new Set<string>();
  const keyOf = (id: JsonValue | undefined) => JSON.stringify(id ?? null);
  return {
    reply(json, call) {
      if (removal !== undefined && call.rpc === removal.name) deleted.add(keyOf(json[namedField(removal)]));
      if (call.row.subject === list.subject && call.row.record !== undefined) {
        const record = json[call.row.record.name] as JsonObject | undefined;
        if (record !== undefined) known.set(keyOf(record.id), record);
      }
      if (call.rpc !== list.name) return json;
      const kept = [...known].filter(([id]) => deleted.has(id)).map(([, record]) => record);
      return { ...json, [field]: [...((json[field] ?? []) as JsonValue[]), ...kept] };
    },
  };
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
    decorate: listingDeleted,
  },
);
