import type { JsonObject } from "@bufbuild/protobuf";
import { deleteRowOf, recordFields } from "../../../../proto/resources.ts";
import { Effect, type RpcRow, rpc, rpcs } from "../../../../proto/rpcs.ts";
import { idKey } from "../edit.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** How long what was deleted stays away, in milliseconds: until a copy that is behind is written back. */
const awayMs = 900;

/** Deletes what it should, and stores it again a moment later as it was. */
const storingAgain = wrapping((next) => async (context, request) => {
  const { row, subject, world } = context;
  const reply = await next(context, request);
  if (subject !== undefined) world.clock.after(awayMs, () => world.tables[row.subject]?.put(subject));
  return reply;
});

export const deletionsUndone: readonly Fault[] = faultsAt(
  rpcs.filter((row) => row.effect === Effect.DELETE && row.ids.some(({ facts }) => facts.names === row.subject)),
  {
    id: "lifecycle/deletes-for-a-moment",
    says: "deletes what it should, and has it again a moment later",
    breaks: "*.deletion.effective",
    decorate: storingAgain,
  },
);

/** Lists again what was deleted some time ago. */
function listingAgain(list: RpcRow): SharedDecoration {
  const removal = deleteRowOf(list.subject, list.package);
  const named = removal?.ids.find(({ facts }) => facts.names === list.subject)?.name ?? "";
  const { id } = recordFields(list);
  const known = new Map<string, JsonObject>();
  const deletedAt = new Map<string, number>();
  return {
    reply(json, call) {
      const record = json[call.row.record?.name ?? ""] as JsonObject | undefined;
      if (call.rpc === removal?.name) deletedAt.set(idKey(call.request[named]), performance.now());
      // As it was before: a read may show that it was deleted.
      else if (call.row.subject === list.subject && record !== undefined && !deletedAt.has(idKey(record[id])))
        known.set(idKey(record[id]), record);
      if (call.rpc !== list.name) return json;
      const field = list.list?.name ?? "";
      const isTheirs = (one: JsonObject) =>
        ["workspaceId", "customerUserId"].every((name) => idKey(one[name]) === idKey(call.request[name]));
      const again = [...known].flatMap(([key, one]) => {
        const since = deletedAt.get(key);
        return since !== undefined && performance.now() > since + awayMs && isTheirs(one) ? [one] : [];
      });
      return { ...json, [field]: [...((json[field] ?? []) as JsonObject[]), ...again] };
    },
  };
}

export const deletedListedAgain: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/ListSecrets",
    "alpha.v1.ArtifactService/ListArtifacts",
    "alpha.v1.WebhookService/ListWebhookEndpoints",
    "beta.v1.CustomerSecretService/ListSecrets",
    "beta.v1.SessionService/ListSessions",
  ].map(rpc),
  {
    id: "lifecycle/lists-deleted-again",
    says: "lists what was deleted once more, a moment after its deletion",
    breaks: "*.deletion.effective",
    // It is on every page, whatever its size.
    entails: ["*.paging.size", "*.paging.traversal"],
    decorate: listingAgain,
  },
);
