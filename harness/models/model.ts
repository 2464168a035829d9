import type { JsonObject } from "@bufbuild/protobuf";
import { deleteRowOf, listRowOf, messageOfKind, readRowOf } from "../../proto/resources.ts";
import { type Change, type PackageName, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { callerFields } from "../oracles/record-rules.ts";
import type { Reply } from "../wire/reply.ts";
import type { Contradiction } from "./contradiction.ts";
import type { ReadableKind } from "./reads.ts";
import type { RecordRules, TrackedRecord } from "./tracked-record.ts";

/** A mutation of a kind of record that expects a version. */
export interface Mutation {
  readonly row: RpcRow;
  /** It deletes the record. */
  readonly deletes: boolean;
  /** Precondition: at the current version the target must serve it on such a record. Elsewhere it may refuse. */
  readonly mustServe: (record: JsonObject) => boolean;
  /** Whether the history of the record leaves it open to refuse it all the same. Default: it does not. */
  readonly mayRefuse?: (tracked: TrackedRecord, refusal: Reply) => boolean;
  /** Applies its side effects on other records to the model; returns what its reply says wrongly of them, if anything. */
  readonly applySideEffects?: (
    records: readonly ModelRecord[],
    reply: JsonObject,
    request: JsonObject,
  ) => ReplyMismatch | undefined;
}

/** What is wrong with a reply, apart from the record it shows. */
export interface ReplyMismatch {
  readonly clause: string;
  readonly expected: string;
  /** What contradicts it, and what the reply says instead. */
  readonly contradiction: Contradiction;
}

/** A kind of record of a model, and the RPCs that act on it. */
export interface ModelKind extends ReadableKind {
  readonly rules: RecordRules;
  readonly mutations: readonly Mutation[];
  /** Creates a record. Kinds without it have records from the beginning, or created along with others. */
  readonly create?: (context: CaseContext, within: JsonObject, variation: number) => Promise<Created>;
  /** Its listing holds the records of this run of commands only. */
  readonly ownList: boolean;
}

/** A record that was created. */
export interface Created {
  readonly subject: Subject;
  /** The reply that showed it, if one did. */
  readonly reply?: Reply;
  /** Records that were created along with it. */
  readonly others?: readonly Subject[];
  /** The request that created it, where it may be replayed. */
  readonly replay?: SentMutation;
}

/** A served mutation as it was sent. */
export interface SentMutation {
  readonly row: RpcRow;
  readonly request: JsonObject;
  readonly baseUrl: string | undefined;
}

/** A record of the model, its kind, and where it is. */
export interface ModelRecord {
  readonly tracked: TrackedRecord;
  readonly kind: ModelKind;
  readonly subject: Subject;
}

/** The state that commands start from: request fields that all records are within, and records that exist already. */
export interface InitialState {
  readonly within: JsonObject;
  readonly subjects: readonly Subject[];
}

/** A reference model: kinds of record that one sequence of commands acts on. */
export interface Model {
  readonly package: PackageName;
  readonly kinds: readonly ModelKind[];
  /** Sets the initial state up, anew for each sequence. Default: nothing. */
  readonly setUp?: (context: CaseContext) => Promise<InitialState>;
}

/** The rows that mutate a kind and expect its version. */
export function conditionalRows(kind: string, packageName: PackageName): readonly RpcRow[] {
  return rpcs.filter((row) => row.package === packageName && row.subject === kind && row.expectedVersion !== undefined);
}

/** What is special about a kind; the rest is read from its RPC rows. */
export interface KindOverrides {
  readonly create?: ModelKind["create"];
  readonly settled?: RecordRules["settled"];
  readonly forbiddenChange?: RecordRules["forbiddenChange"];
  readonly mutationOf?: RecordRules["mutationOf"];
  readonly isHidden?: RecordRules["isHidden"];
  readonly ownList?: boolean;
  /** By what the mutation does. */
  readonly mutations?: Readonly<
    Partial<Record<Change, Partial<Pick<Mutation, "mustServe" | "mayRefuse" | "applySideEffects">>>>
  >;
}

/** A kind of record as its RPC rows describe it, with overrides. Default: only mutations change it, and all must be served. */
export function modelKind(
  kind: string,
  packageName: PackageName,
  isTombstone: RecordRules["isTombstone"],
  overrides: KindOverrides = {},
): ModelKind {
  const message = messageOfKind(kind, packageName);
  const deleteRow = deleteRowOf(kind, packageName);
  const settable = callerFields(kind, packageName);
  const readRow = readRowOf(kind, packageName);
  return {
    kind,
    readRow,
    listRow: listRowOf(kind, packageName),
    rules: {
      message,
      path: readRow?.record?.name ?? kind.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      callerFields: new Set(message.fields.map(({ jsonName }) => jsonName).filter((name) => settable.has(name))),
      settled: overrides.settled ?? (() => true),
      forbiddenChange: overrides.forbiddenChange ?? (() => undefined),
      mutationOf: overrides.mutationOf ?? (() => undefined),
      isTombstone,
      isHidden: overrides.isHidden ?? (() => false),
    },
    mutations: conditionalRows(kind, packageName).map((row) => ({
      row,
      deletes: row === deleteRow,
      mustServe: () => true,
      ...overrides.mutations?.[row.change],
    })),
    ...(overrides.create === undefined ? {} : { create: overrides.create }),
    ownList: overrides.ownList ?? false,
  };
}
