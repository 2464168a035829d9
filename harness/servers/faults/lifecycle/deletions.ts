import { create, type JsonObject, type JsonValue, type Message } from "@bufbuild/protobuf";
import { deleteRowOf, recordFields } from "../../../../proto/resources.ts";
import { Effect, factsOf, type RpcRow, rpc as rowOf, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { changedReply } from "../edit.ts";
import { clauseFor, defineFault, defineSharedFault, type Fault, prefixOf } from "../fault.ts";

const deletes = rpcs.filter((row) => row.effect === Effect.DELETE);

/** The field of a deletion's reply that names what was deleted. */
function namedField(row: RpcRow): string {
  return row.output.fields.find((field) => factsOf(field).names === row.subject)?.localName ?? "";
}

/** Where a deletion's reply names what was deleted: in a field of its own, or in the record it ends with. */
function namedPath(row: RpcRow): string {
  return row.record === undefined ? namedField(row) : `${row.record.name}.${recordFields(row).id}`;
}

/** The reply of a deletion that deletes nothing. */
function replyAsIf({ row, subject }: Context, request: Message): Message {
  const { record } = row;
  const id = namedField(row);
  return create(
    row.output,
    record === undefined ? { [id]: readField(request, id) } : { [record.field.localName]: subject },
  );
}

const deletions = deletes.flatMap((row, index) => {
  const id = namedPath(row);
  return [
    defineSharedFault({
      id: `lifecycle/${prefixOf(row)}${row.method}-without-effect`,
      says: `${row.method} answers and deletes nothing`,
      breaks: clauseFor(row, "deletion.effective"),
      // Of many who delete it at one version every one is told that it did.
      entails: [clauseFor(row, "versioning.one-winner")],
      rpc: row.name,
      decoration: { handlers: { [row.name]: () => replyAsIf } },
    }),
    defineSharedFault({
      id: `lifecycle/${prefixOf(row)}${row.method}-names-${index % 2 === 0 ? "another" : "nothing"}`,
      says: `${row.method} names ${index % 2 === 0 ? "another id than the deleted" : "no id"}`,
      breaks: clauseFor(row, "deletion.names"),
      rpc: row.name,
      decoration:
        index % 2 === 0
          ? changedReply(row.name, id, () => ({ value: "01890a5d-ac96-774b-bcce-b302099a8057" }))
          : changedReply(row.name, id, () => undefined),
    }),
  ];
});

/** A listing goes on showing what was deleted. */
function listingDeleted(list: RpcRow): AlphaDecoration {
  const removal = deleteRowOf(list.subject, list.package);
  const field = list.list?.name ?? "";
  const known = new Map<string, JsonValue>();
  const deleted = new Set<string>();
  const keyOf = (id: JsonValue | undefined) => JSON.stringify(id ?? null);
  return {
    reply(json, call) {
      if (call.rpc === removal?.name) deleted.add(keyOf(json[namedField(removal)]));
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

const listed = ["SecretService/ListSecrets", "JobService/ListJobs", "WebhookService/ListWebhookEndpoints"].map((name) =>
  defineFault({
    id: `lifecycle/${name.split("/")[1]}-shows-deleted`,
    says: `${name} goes on showing what was deleted`,
    breaks: "alpha.deletion.effective",
    rpc: `alpha.v1.${name}`,
    decoration: listingDeleted(rowOf(`alpha.v1.${name}`)),
  }),
);

export const deletionFaults: readonly Fault[] = [...deletions, ...listed];
