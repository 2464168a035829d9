import type { Message } from "@bufbuild/protobuf";
import { Effect, isReadOnly, type PackageName, type RpcRow } from "../../proto/rpcs.ts";
import type { Context, Reply, World } from "./reference/core/context.ts";
import { isStream } from "./reference/core/context.ts";
import { idText, readField } from "./reference/core/fields.ts";
import type { Entry } from "./reference/core/store.ts";
import type { AlphaDecoration, BetaDecoration } from "./reference/main.ts";
import type { SharedDecoration } from "./variants/variant.ts";

type Decoration = AlphaDecoration | BetaDecoration | SharedDecoration;

/** Kinds of resource a run has to take away again, with the field of their id; runs, and what they leave, are history. */
const kept: Readonly<Record<PackageName, readonly (readonly [kind: string, id: string])[]>> = {
  "alpha.v1": [
    ["artifact", "id"],
    ["job", "id"],
    ["secret", "id"],
    ["webhook_endpoint", "id"],
  ],
  "beta.v1": [
    ["customer_user", "customerUserId"],
    ["secret", "secretId"],
    ["session", "sessionId"],
    ["webhook_endpoint", "webhookEndpointId"],
  ],
};

/** What references are watched for. */
export interface Watcher {
  /** Credentials they gave out. */
  issued(): readonly string[];
  /** What they still have of what a run has to take away again: `secret 0199…`. */
  left(): readonly string[];
  /** The decoration, with a pipeline that tells the watcher what came of each call. */
  watch(decoration: Decoration): AlphaDecoration & BetaDecoration;
}

/** A watcher of any number of references: it sees their own state, not what they say of it. */
export function createWatcher(): Watcher {
  const issued = new Set<string>();
  /** What was deleted as its server means it, which need not take it from its tables. */
  const deletions = new Set<string>();
  const seen = new Map<World, { readonly packageName: PackageName; readonly workspaces: Set<string> }>();

  function note({ world, row, request, workspaceId }: Context, reply: Reply): void {
    // A replica is only read, and may be behind for ever once nobody reads it any more.
    if (!isReadOnly(row)) {
      const known = seen.get(world) ?? { packageName: row.package, workspaces: new Set() };
      seen.set(world, known);
      known.workspaces.add(workspaceId);
    }
    if (isStream(reply)) return;
    if (row.effect === Effect.DELETE) deletions.add(subjectIn(row, request));
    for (const { field } of row.plaintext) {
      const text = readField(reply, field.localName);
      if (typeof text === "string" && text !== "") issued.add(text);
    }
  }

  const subjectIn = (row: RpcRow, request: Message) =>
    row.ids
      .filter(({ facts }) => facts.names === row.subject)
      .map(({ field }) => idText(readField(request, field.localName) as { value: string } | undefined))
      .join();
  const idOf = (record: Message, field: string) => idText(readField(record, field) as { value: string } | undefined);

  /** Whether the customer user a record belongs to is there still: without it no call reaches the record any more. */
  function hasOwner(tables: World["tables"], { record, tenant }: Entry): boolean {
    const owner = tenant.customerUserId || idOf(record, "customerUserId");
    const found = tables.customer_user?.find(owner);
    return owner === "" || tables.customer_user === undefined || (found !== undefined && !found.deleted);
  }

  return {
    issued: () => [...issued],
    left: () =>
      [...seen].flatMap(([{ tables }, { packageName, workspaces }]) =>
        kept[packageName].flatMap(([kind, id]) =>
          [...workspaces]
            .flatMap((workspace) => tables[kind]?.entries(workspace) ?? [])
            .filter((entry) => !entry.deleted && !deletions.has(idOf(entry.record, id)) && hasOwner(tables, entry))
            .map(({ record }) => `${kind} ${idOf(record, id)}`),
        ),
      ),
    watch(decoration) {
      // Of the parts the pipeline alone is touched, which every reference has.
      const { parts, ...rest } = decoration as SharedDecoration;
      const watching: SharedDecoration["parts"] = (standard) => {
        const changed = parts?.(standard);
        const { pipeline } = { ...standard, ...changed };
        return {
          ...changed,
          pipeline: async (context, effect) => {
            const reply = await pipeline(context, effect);
            note(context, reply);
            return reply;
          },
        };
      };
      return { ...rest, parts: watching } as AlphaDecoration & BetaDecoration;
    },
  };
}
