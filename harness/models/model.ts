import type { JsonObject } from "@bufbuild/protobuf";
import { deleteRowOf, listRowOf, messageOfKind, readRowOf } from "../../proto/resources.ts";
import { type Change, Effect, type PackageName, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import type { Reply } from "../wire/reply.ts";
import type { RecordRules, TrackedRecord } from "./tracked-record.ts";

/** A mutation of a kind of record. */
export interface Mutation {
  readonly row: RpcRow;
  /** It ends the record. */
  readonly ends: boolean;
  /** True where the target must serve it at the right version; elsewhere it may refuse. */
  readonly mustServe: (record: JsonObject) => boolean;
  /** What else a served one says of the things of the history; gives back what is wrong with its reply. */
  readonly sideEffects?: (things: readonly ModelRecord[], reply: JsonObject) => SideEffect | undefined;
}

/** What is wrong with a reply, beyond its own record. */
export interface SideEffect {
  readonly clause: string;
  readonly expected: string;
  readonly seen: string;
}

/** A kind of record in a family, and all that happens to it. */
export interface ModelKind {
  readonly kind: string;
  readonly rules: RecordRules;
  readonly mutations: readonly Mutation[];
  readonly reads: RpcRow | undefined;
  readonly lists: RpcRow | undefined;
  /** Makes one more of it; kinds without it are there from the beginning, or made with others. */
  readonly make?: (context: CaseContext, within: JsonObject, draw: number) => Promise<Made>;
  /** Its list is the history's own: nothing else is on it. */
  readonly ownList: boolean;
}

/** A record that was made, with what was made by it, and the request that made it, where it may be sent again. */
export interface Made {
  readonly subject: Subject;
  /** The reply that showed it, where one did. */
  readonly reply?: Reply;
  readonly others?: readonly Subject[];
  readonly again?: Sent;
}

/** A mutation that was served, as it was sent. */
export interface Sent {
  readonly row: RpcRow;
  readonly request: JsonObject;
  readonly baseUrl: string | undefined;
}

/** A thing of a history with its kind and where it is. */
export interface ModelRecord {
  readonly tracked: TrackedRecord;
  readonly kind: ModelKind;
  readonly subject: Subject;
}

/** Kinds of record that a history goes through together. */
export interface Model {
  readonly package: PackageName;
  readonly kinds: readonly ModelKind[];
  /** What every history begins with, made anew for it: request fields all its records are within, and records. */
  readonly begin?: (
    context: CaseContext,
  ) => Promise<{ readonly within: JsonObject; readonly subjects: readonly Subject[] }>;
}

const storing: readonly Effect[] = [Effect.CREATE, Effect.UPDATE];

/** The mutations of a kind that are conditional on its version. */
export function conditionalRows(kind: string, packageName: PackageName): readonly RpcRow[] {
  return rpcs.filter((row) => row.package === packageName && row.subject === kind && row.expectedVersion !== undefined);
}

/** Fields of a kind's record that callers choose. */
function chosenFields(kind: string, packageName: PackageName, own: ReadonlySet<string>): ReadonlySet<string> {
  const rows = rpcs.filter(
    (row) => row.package === packageName && row.subject === kind && storing.includes(row.effect),
  );
  const names = rows.flatMap((row) => row.input.fields.filter((field) => field !== row.expectedVersion?.field));
  return new Set(names.map((field) => field.jsonName).filter((name) => own.has(name)));
}

/** What is special about a kind; the rest is read from its RPC rows. */
export interface KindOverrides {
  readonly make?: ModelKind["make"];
  readonly settled?: RecordRules["settled"];
  readonly forbids?: RecordRules["forbids"];
  readonly betrays?: RecordRules["betrays"];
  readonly ownList?: boolean;
  /** By what the mutation does. */
  readonly mutations?: Readonly<Partial<Record<Change, Partial<Pick<Mutation, "mustServe" | "sideEffects">>>>>;
}

/** A kind of record as the contract's rows describe it, with what is special about it. */
export function modelKind(
  kind: string,
  packageName: PackageName,
  isTombstone: RecordRules["isTombstone"],
  special: KindOverrides = {},
): ModelKind {
  const reads = readRowOf(kind, packageName);
  const lists = listRowOf(kind, packageName);
  const message = messageOfKind(kind, packageName);
  const removal = deleteRowOf(kind, packageName);
  const own = new Set(message.fields.map((field) => field.jsonName));
  return {
    kind,
    reads,
    lists,
    rules: {
      message,
      chosen: chosenFields(kind, packageName, own),
      settled: special.settled ?? (() => true),
      forbids: special.forbids ?? (() => undefined),
      betrays: special.betrays ?? (() => false),
      isTombstone,
    },
    mutations: conditionalRows(kind, packageName).map((row) => ({
      row,
      ends: row === removal,
      mustServe: () => true,
      ...special.mutations?.[row.change],
    })),
    ...(special.make === undefined ? {} : { make: special.make }),
    ownList: special.ownList ?? false,
  };
}
