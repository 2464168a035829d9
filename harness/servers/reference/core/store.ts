import { create, type DescMessage, type Message, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { factsOf, resourceOf } from "../../../../proto/rpcs.ts";
import type { Clock } from "./clock.ts";
import { type Tenant, tenantKey } from "./context.ts";
import { idText, readField } from "./fields.ts";
import { timestamp } from "./times.ts";

/** A record with its place in creation order. */
export interface Entry<T extends Message = Message> {
  readonly ordinal: number;
  readonly record: T;
  /** Whose it is. */
  readonly tenant: Tenant;
  /** A tombstone: still readable, no longer there. */
  readonly deleted: boolean;
}

/** Hears of each change of one record; undefined when it is gone. */
export type Listener<T> = (record: T | undefined) => void;

/**
 * The records of one resource, of all workspaces. Records are never changed in place, so one that was handed out
 * stays what it was. Ids are lower-case UUID text.
 */
export interface Table<T extends Message = Message> {
  /** Stores a new record at its first version, created now or when its `createdAt` says; `updatedAt` is the same. */
  add(record: T): T;
  /** The entry with this id, whatever its workspace; a tombstone included. */
  find(id: string): Entry<T> | undefined;
  /** The live record with this id. Throws when there is none: callers have looked before. */
  get(id: string): T;
  /**
   * Entries of a workspace, of an app or of a customer user (see `tenantKey`), in creation order, tombstones included;
   * with `owner`, where that is not empty, those of one owner, where the table tells owners apart.
   */
  entries(tenant: string, owner?: string): Entry<T>[];
  /** Replaces fields of a live record, at a new version (unless `sameVersion`); `updatedAt` is set. Returns the new record. */
  change(id: string, fields: Partial<T>, options?: { sameVersion?: boolean }): T;
  /**
   * Takes a record away. With `last` it ends with these fields changed, at a new version, and stays as a tombstone unless
   * it is not `kept`. Returns the record as it ended.
   */
  remove(id: string, last?: Partial<T>, kept?: boolean): T;
  /** Writes a record just as it stands, telling nobody. For faults. */
  put(record: T): void;
  /** Listens to one record until the returned function is called. */
  watch(id: string, listener: Listener<T>): () => void;
}

/** How a table dates and numbers its records. */
export interface TablePolicy {
  readonly clock: Clock;
  firstVersion(): bigint;
  nextVersion(current: bigint, subject: string): bigint;
  /** Whether a new record has an `updatedAt`. */
  updatedAtOnCreate: boolean;
}

/** What a table cannot see in the schema of its records. */
export interface TableOptions<T extends Message> {
  /** Kind of resource, where the message is not marked as a record of one. */
  readonly subject?: string;
  /** Kind of the id that tells records apart; default: the record's own. */
  readonly key?: string;
  /** Whose a new record is; default: as its fields say. */
  tenantOf?(record: T): Tenant;
  /** The id of what a record belongs to besides; default: tables tell no owners apart. */
  ownerOf?(record: T): string;
  /** The fields time alone has changed (an expiry); asked before a record is handed out. */
  settle?(record: T): Partial<T> | undefined;
}

/** Local names of the fields records have, found by their facts; empty for those this kind of record lacks. */
function recordFields(schema: DescMessage, { subject = resourceOf(schema) ?? "", key = subject }: TableOptions<never>) {
  const named = (name: string) => schema.fields.find((field) => factsOf(field).names === name)?.localName ?? "";
  return {
    subject,
    id: named(key),
    workspace: named("workspace"),
    app: named("app"),
    customerUser: named("customer_user"),
    version: schema.fields.find((field) => factsOf(field).resourceVersion)?.localName ?? "",
    dates: schema.fields.map((field) => field.localName),
  };
}

/** An id field of a record. */
function idIn(record: Message, localName: string): string {
  return idText(readField(record, localName) as { value: string } | undefined);
}

/** Keys of a tenant and of those it is part of: workspace, app, customer user. */
function keysOf(tenant: Tenant): Set<string> {
  const app = { ...tenant, customerUserId: "" };
  return new Set([{ ...app, appId: "" }, app, tenant].map(tenantKey));
}

/** A table of records of `schema`. */
export function createTable<Desc extends DescMessage>(
  schema: Desc,
  policy: TablePolicy,
  options: TableOptions<MessageShape<Desc>> = {},
): Table<MessageShape<Desc>> {
  type T = MessageShape<Desc>;
  const fields = recordFields(schema, options as TableOptions<never>);
  const rows = new Map<string, Entry<T>>();
  /** Ids in creation order, by the key of each tenant they are of: workspace, app, customer user. */
  const tenants = new Map<string, Set<string>>();
  const listeners = new Map<string, Set<Listener<T>>>();
  let ordinals = 0;

  const tell = (id: string, record: T | undefined) => {
    for (const listener of [...(listeners.get(id) ?? [])]) listener(record);
  };
  const copy = (record: T, changes: object): T =>
    create(schema, { ...record, ...changes } as MessageInitShape<Desc>) as T;
  const dated = (names: readonly string[], time = timestamp(policy.clock.now())) =>
    Object.fromEntries(names.filter((name) => fields.dates.includes(name)).map((name) => [name, time]));
  const owned = (tenant: string, owner: string) => `${tenant} of ${owner}`;
  const keysIn = ({ tenant, record }: Entry<T>): string[] => {
    const keys = [...keysOf(tenant)];
    const owner = options.ownerOf?.(record);
    return owner === undefined ? keys : [...keys, ...keys.map((key) => owned(key, owner))];
  };
  const versionOf = (record: T) => (readField(record, fields.version) ?? 0n) as bigint;
  const tenantOf =
    options.tenantOf ??
    ((record: T): Tenant => ({
      workspaceId: idIn(record, fields.workspace),
      appId: idIn(record, fields.app),
      customerUserId: idIn(record, fields.customerUser),
    }));
  const write = (entry: Entry<T>, changes: object, options: { sameVersion?: boolean; deleted?: boolean } = {}): T => {
    const version = options.sameVersion
      ? {}
      : { [fields.version]: policy.nextVersion(versionOf(entry.record), fields.subject) };
    const record = copy(entry.record, { ...dated(["updatedAt"]), ...changes, ...version });
    rows.set(idIn(record, fields.id), { ...entry, record, deleted: options.deleted ?? entry.deleted });
    return record;
  };
  const insert = (entry: Entry<T>) => {
    const id = idIn(entry.record, fields.id);
    rows.set(id, entry);
    for (const key of keysIn(entry)) tenants.set(key, (tenants.get(key) ?? new Set()).add(id));
  };
  const settled = (entry: Entry<T>): Entry<T> => {
    const changes = entry.deleted ? undefined : options.settle?.(entry.record);
    if (changes === undefined) return entry;
    const record = write(entry, changes);
    tell(idIn(record, fields.id), record);
    return { ...entry, record };
  };
  const live = (id: string): Entry<T> => {
    const entry = rows.get(id);
    if (entry === undefined || entry.deleted) throw new Error(`no ${fields.subject} ${id}`);
    return settled(entry);
  };

  return {
    add(record) {
      const datedByUpdateOnly = !fields.dates.includes("createdAt");
      const names = policy.updatedAtOnCreate || datedByUpdateOnly ? ["createdAt", "updatedAt"] : ["createdAt"];
      const createdAt = readField(record, "createdAt") as Timestamp | undefined;
      const added = copy(record, { ...dated(names, createdAt), [fields.version]: policy.firstVersion() });
      insert({ ordinal: ++ordinals, record: added, tenant: tenantOf(added), deleted: false });
      return added;
    },
    find(id) {
      const entry = rows.get(id);
      return entry === undefined ? undefined : settled(entry);
    },
    get: (id) => live(id).record,
    entries(tenant, owner = "") {
      const found: Entry<T>[] = [];
      for (const id of tenants.get(owner === "" ? tenant : owned(tenant, owner)) ?? []) {
        const entry = rows.get(id);
        if (entry !== undefined) found.push(settled(entry));
      }
      return found;
    },
    change(id, changes, options) {
      const record = write(live(id), changes, options);
      tell(id, record);
      return record;
    },
    remove(id, last, kept = last !== undefined) {
      const entry = live(id);
      const record = last === undefined ? entry.record : write(entry, last, { deleted: true });
      if (!kept) {
        rows.delete(id);
        for (const key of keysIn(entry)) tenants.get(key)?.delete(id);
      }
      tell(id, undefined);
      return record;
    },
    put(record) {
      const id = idIn(record, fields.id);
      const entry = rows.get(id);
      const tenant = entry?.tenant ?? tenantOf(record);
      insert({ ordinal: entry?.ordinal ?? ++ordinals, record, tenant, deleted: entry?.deleted ?? false });
    },
    watch(id, listener) {
      const heard = listeners.get(id) ?? new Set();
      listeners.set(id, heard.add(listener));
      return () => {
        heard.delete(listener);
        if (heard.size === 0) listeners.delete(id);
      };
    },
  };
}
