import { create, type DescMessage, type Message, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { factsOf, resourceOf } from "../../../proto/rpcs.ts";
import type { Clock } from "./clock.ts";
import { idText, readField } from "./fields.ts";
import { timestamp } from "./times.ts";

/** A record with its place in creation order. */
export interface Entry<T extends Message = Message> {
  readonly ordinal: number;
  readonly record: T;
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
  /** Entries of a workspace in creation order, tombstones included. */
  entries(workspaceId: string): Entry<T>[];
  /** Replaces fields of a live record, at a new version (unless `sameVersion`); `updatedAt` is set. Returns the new record. */
  change(id: string, fields: Partial<T>, options?: { sameVersion?: boolean }): T;
  /** Takes a record away, or leaves a tombstone with these fields changed. */
  remove(id: string, tombstone?: Partial<T>): void;
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

/** Local names of the fields every record has, found by their facts. */
function recordFields(schema: DescMessage) {
  const subject = resourceOf(schema) ?? "";
  const named = (name: string) => schema.fields.find((field) => factsOf(field).names === name)?.localName ?? "";
  return {
    subject,
    id: named(subject),
    workspace: named("workspace"),
    version: schema.fields.find((field) => factsOf(field).resourceVersion)?.localName ?? "",
    dates: schema.fields.map((field) => field.localName),
  };
}

/** An id field of a record. */
function idIn(record: Message, localName: string): string {
  return idText(readField(record, localName) as { value: string } | undefined);
}

/**
 * A table of `schema`. `settle` gives the fields time alone has changed (an expiry), and is asked before a record is
 * handed out.
 */
export function createTable<Desc extends DescMessage>(
  schema: Desc,
  policy: TablePolicy,
  settle?: (record: MessageShape<Desc>) => Partial<MessageShape<Desc>> | undefined,
): Table<MessageShape<Desc>> {
  type T = MessageShape<Desc>;
  const fields = recordFields(schema);
  const rows = new Map<string, Entry<T>>();
  /** Ids in creation order, by workspace. */
  const workspaces = new Map<string, Set<string>>();
  const listeners = new Map<string, Set<Listener<T>>>();
  let ordinals = 0;

  const tell = (id: string, record: T | undefined) => {
    for (const listener of [...(listeners.get(id) ?? [])]) listener(record);
  };
  const copy = (record: T, changes: object): T =>
    create(schema, { ...record, ...changes } as MessageInitShape<Desc>) as T;
  const dated = (names: readonly string[], time = timestamp(policy.clock.now())) =>
    Object.fromEntries(names.filter((name) => fields.dates.includes(name)).map((name) => [name, time]));
  const versionOf = (record: T) => readField(record, fields.version) as bigint;

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
    const workspaceId = idIn(entry.record, fields.workspace);
    rows.set(id, entry);
    workspaces.set(workspaceId, (workspaces.get(workspaceId) ?? new Set()).add(id));
  };
  const settled = (entry: Entry<T>): Entry<T> => {
    const changes = entry.deleted ? undefined : settle?.(entry.record);
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
      const names = policy.updatedAtOnCreate ? ["createdAt", "updatedAt"] : ["createdAt"];
      const createdAt = readField(record, "createdAt") as Timestamp | undefined;
      const added = copy(record, { ...dated(names, createdAt), [fields.version]: policy.firstVersion() });
      insert({ ordinal: ++ordinals, record: added, deleted: false });
      return added;
    },
    find(id) {
      const entry = rows.get(id);
      return entry === undefined ? undefined : settled(entry);
    },
    get: (id) => live(id).record,
    entries: (workspaceId) => [...(workspaces.get(workspaceId) ?? [])].flatMap((id) => rows.get(id) ?? []).map(settled),
    change(id, changes, options) {
      const record = write(live(id), changes, options);
      tell(id, record);
      return record;
    },
    remove(id, tombstone) {
      const entry = live(id);
      if (tombstone === undefined) {
        rows.delete(id);
        workspaces.get(idIn(entry.record, fields.workspace))?.delete(id);
      } else write(entry, tombstone, { deleted: true });
      tell(id, undefined);
    },
    put(record) {
      const id = idIn(record, fields.id);
      const entry = rows.get(id);
      insert({ ordinal: entry?.ordinal ?? ++ordinals, record, deleted: entry?.deleted ?? false });
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
