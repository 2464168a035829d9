import type { Message } from "@bufbuild/protobuf";
import { Effect } from "../../../../proto/rpcs.ts";
import { tenantKey, type World } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Entry, Table } from "../../reference/core/store.ts";
import { defineVariants, type Variant } from "../variant.ts";

/** A change the replica does not show yet: what was there before it, if anything was. */
interface Pending {
  readonly id: string;
  readonly at: number;
  readonly before: Entry | undefined;
}

/** How far the replica is behind, how often a copy is made, and how long a cache keeps what it read, in milliseconds. */
const [lagMs, copyMs, cacheMs] = [120, 200, 150];

/** How long an index stands still, and how often, in milliseconds, once so many changes of its table have made it busy. */
const [stallMs, stallEveryMs, busyAfter] = [300, 1000, 50];

/** What a replica does not show yet. */
interface Lag {
  /** Of changes made from this time on it shows nothing, on the clock of `performance.now`, once a table is busy since a time. */
  readonly since: (busySince: number) => number;
  /** It shows what is new at once: only what changes is shown later. */
  readonly onlyChanges?: true;
  /** Effects of the RPCs that read it. */
  readonly effects: readonly Effect[];
  /** Kinds of record that are read from where they were written. */
  readonly besides?: readonly string[];
}

/** The latest changes of a table, oldest first, and since when it had many. */
const latest = new WeakMap<Table, { readonly pending: Pending[]; busySince: number }>();

/** The id a record is kept under: its own, or, of settings, their user's. */
function idOf(record: Message, kind: string): string {
  const camel = kind.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const id = ["id", `${camel}Id`, "customerUserId"].map((name) => readField(record, name)).find((one) => one);
  return (id as { readonly value: string }).value.toLowerCase();
}

/** Notes from now on what every change of a table takes the place of. */
function follow(table: Table, kind: string): void {
  if (latest.has(table)) return;
  const pending: Pending[] = [];
  const seen = { pending, busySince: Number.POSITIVE_INFINITY };
  latest.set(table, seen);
  let changes = 0;
  const { add, change, remove } = table;
  const note = (id: string, before: Entry | undefined) => {
    const at = performance.now();
    while (pending[0] !== undefined && pending[0].at < at - stallMs) pending.shift();
    pending.push({ id, at, before });
    changes += 1;
    if (changes === busyAfter) seen.busySince = at;
  };
  const noting = <Rest extends unknown[]>(change: (id: string, ...rest: Rest) => Message) => {
    return (id: string, ...rest: Rest) => {
      const before = table.find(id);
      const changed = change(id, ...rest);
      note(id, before);
      return changed;
    };
  };
  Object.assign(table, {
    add(record: Message) {
      const added = add(record);
      note(idOf(added, kind), undefined);
      return added;
    },
    change: noting(change),
    remove: noting(remove),
  });
}

/** The table as it was a moment ago. */
function replicaOf(table: Table, kind: string, lag: Lag): Table {
  const { pending, busySince } = latest.get(table) ?? { pending: [], busySince: Number.POSITIVE_INFINITY };
  const since = lag.since(busySince);
  const unseen = new Map<string, Entry | undefined>();
  for (const { id, at, before } of pending) {
    const isHidden = lag.onlyChanges !== true || (before !== undefined && table.find(id)?.deleted !== true);
    if (at >= since && isHidden && !unseen.has(id)) unseen.set(id, before);
  }
  const find = (id: string) => (unseen.has(id) ? unseen.get(id) : table.find(id));
  return {
    ...table,
    find,
    get(id) {
      const entry = find(id);
      if (entry === undefined || entry.deleted) throw new Error(`no ${kind} ${id}`);
      return entry.record;
    },
    entries(tenant, owner = "") {
      const now = table.entries(tenant, owner).map(({ record }) => idOf(record, kind));
      const gone = [...unseen].flatMap(([id, entry]) => (isOf(entry, tenant) && owner === "" ? [id] : []));
      const entries = [...new Set([...now, ...gone])].flatMap((id) => find(id) ?? []);
      return entries.toSorted((a, b) => a.ordinal - b.ordinal);
    },
  };
}

/** True for an entry of a tenant, or of one that is part of it. */
function isOf(entry: Entry | undefined, tenant: string): boolean {
  if (entry === undefined) return false;
  const app = { ...entry.tenant, customerUserId: "" };
  return [{ ...app, appId: "" }, app, entry.tenant].some((one) => tenantKey(one) === tenant);
}

/** The world as a replica has it: all of it, or what it has of one kind. */
function behind<W extends World>(world: W, lag: Lag, only?: string): W {
  const tables = Object.fromEntries(
    Object.entries(world.tables).map(([kind, table]) => [
      kind,
      (only === undefined || only === kind) && !lag.besides?.includes(kind) ? replicaOf(table, kind, lag) : table,
    ]),
  );
  return Object.create(world, { tables: { value: tables } }) as W;
}

/** What some readings see is what was there a moment ago. */
function lagging(id: string, says: string, lag: Lag): readonly Variant[] {
  const { effects } = lag;
  return defineVariants({
    id,
    says,
    open: ["*.open.consistency"],
    // Where answers are slow, a reading that comes after one is late enough.
    alone: true,
    decoration: {
      parts: ({ authenticate, findSubject }) => ({
        authenticate(context) {
          for (const [kind, table] of Object.entries(context.world.tables)) follow(table, kind);
          return authenticate(context);
        },
        findSubject(context) {
          const { effect, subject } = context.row;
          // An index is of what is listed; whose it is, is known at once.
          const only = effects.length === 1 ? subject : undefined;
          if (effects.includes(effect)) Object.assign(context, { world: behind(context.world, lag, only) });
          return findSubject(context);
        },
      }),
    },
  });
}

const aMomentAgo = () => performance.now() - lagMs;

/** Stores that are read from a copy, or listed from an index. */
export const replicaVariants: readonly Variant[] = [
  ...lagging("readings-lag", `reads and lists from a replica that is ${lagMs} ms behind`, {
    since: aMomentAgo,
    effects: [Effect.READ, Effect.LIST],
  }),
  ...lagging(
    "records-of-work-lag",
    `reads and lists all but secrets and endpoints from a replica that is ${lagMs} ms behind`,
    {
      since: aMomentAgo,
      effects: [Effect.READ, Effect.LIST],
      besides: ["secret", "webhook_endpoint"],
    },
  ),
  ...lagging("listings-lag", `lists from an index that is ${lagMs} ms behind`, {
    since: aMomentAgo,
    effects: [Effect.LIST],
  }),
  ...lagging("listings-copied-now-and-then", `lists from a copy that is made every ${copyMs} ms`, {
    since: () => performance.now() - (performance.now() % copyMs),
    effects: [Effect.LIST],
  }),
  ...lagging(
    "listings-stall",
    `lists from an index that stands still for ${stallMs} of ${stallEveryMs} ms once it is busy`,
    {
      since: (busySince) => {
        const now = performance.now();
        const begun = now - (now % stallEveryMs);
        // What was shown once is not hidden again.
        return now < begun + stallMs && begun >= busySince ? begun : now;
      },
      effects: [Effect.LIST],
    },
  ),
  ...lagging("changes-show-later", `reads what is new at once, and what changes ${cacheMs} ms later`, {
    since: () => performance.now() - cacheMs,
    onlyChanges: true,
    effects: [Effect.READ],
  }),
];
