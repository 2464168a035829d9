import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { Effect, factsOf, type RpcRow, rpc as rowOf, rpcs } from "../../proto/rpcs.ts";
import { deleteRowOf } from "../given/subject.ts";
import { readField } from "../reference/core/fields.ts";
import type { AlphaDecoration } from "../reference/main.ts";
import { changedReply } from "./edit.ts";
import { defineFault, type Fault } from "./fault.ts";

const deletes = rpcs.filter((row) => row.package === "alpha.v1" && row.effect === Effect.DELETE);

/** The field of a deletion's reply that names what was deleted. */
function namedField(row: RpcRow): string {
  return row.output.fields.find((field) => factsOf(field).names === row.subject)?.localName ?? "";
}

const deletions = deletes.flatMap((row, index) => {
  const id = namedField(row);
  return [
    defineFault({
      id: `lifecycle/${row.method}-without-effect`,
      says: `${row.method} answers and deletes nothing`,
      breaks: "alpha.deletion.effective",
      rpc: row.name,
      decoration: {
        handlers: {
          [row.name]: () => (_context, request) => create(row.output, { [id]: readField(request, id) }),
        },
      },
    }),
    defineFault({
      id: `lifecycle/${row.method}-names-${index % 2 === 0 ? "another" : "nothing"}`,
      says: `${row.method} names ${index % 2 === 0 ? "another id than the deleted" : "no id"}`,
      breaks: "alpha.deletion.names",
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
