import type { JsonObject, Message } from "@bufbuild/protobuf";
import type { CredentialKind, RpcRow } from "../../../../proto/rpcs.ts";
import type { CoreChoices } from "./choices.ts";
import type { OwnedClock } from "./clock.ts";
import type { CoreParts } from "./parts.ts";
import type { Random } from "./random.ts";
import type { Table } from "./store.ts";

/** Who calls: what a credential stands for. */
export interface Principal {
  /** Names the key without giving it away. */
  readonly id: string;
  readonly kind: CredentialKind;
  readonly workspaceId: string;
  readonly scopes: ReadonlySet<string>;
  /** The one app it is good for, where the package has apps. */
  readonly appId?: string;
  /** The one customer user it was issued for, if it was. */
  readonly customerUserId?: string;
  /** When it ends, in milliseconds since the epoch. */
  readonly until?: number;
}

/** A call as it stands on the wire: what hooks of a decoration see. */
export interface Call {
  /** `alpha.v1.SecretService/GetSecret` */
  readonly rpc: string;
  readonly row: RpcRow;
  /** The request JSON as received, or `{}` while it has not come or where it is none. */
  readonly request: JsonObject;
  /** Request headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Scheme, host and port of the listener it came to. */
  readonly origin: string;
  /** Known once the call is authenticated. */
  principal?: Principal;
}

/** A remembered request: what was asked, and the reply once it is there. Streams have none. */
export interface Memory {
  readonly digest: string;
  /** Id of the principal who asked. */
  readonly by: string;
  readonly until: number;
  readonly reply: Promise<Message> | undefined;
}

/** All that a running reference holds. */
export interface World {
  readonly choices: CoreChoices;
  readonly parts: CoreParts<World>;
  readonly clock: OwnedClock;
  readonly random: Random;
  readonly newId: () => string;
  /** By the subject of RPC rows: `secret`, `job`, ... */
  readonly tables: Readonly<Record<string, Table>>;
  /** By credential. */
  readonly principals: ReadonlyMap<string, Principal>;
  readonly memories: Map<string, Memory>;
  /** Authenticates cursors. */
  readonly cursorKey: Uint8Array;
  /** Aborted when the reference is closed. */
  readonly closing: AbortSignal;
  /** Checks beyond ids, by RPC name. */
  readonly rules: Readonly<Record<string, Rule>>;
}

/** Judges the fields of one request, calling `violate` for each that is wrong. */
export type Rule<Request extends Message = Message> = (
  request: Request,
  violate: (field: string, description: string) => void,
) => void;

/** Whose records: ids in lower case, empty where the package or the request has none. */
export interface Tenant {
  readonly workspaceId: string;
  readonly appId: string;
  readonly customerUserId: string;
}

/** A tenant as one text, for maps and cursors: of a workspace alone, the workspace's id. */
export function tenantKey({ workspaceId, appId, customerUserId }: Tenant): string {
  return [workspaceId, appId, customerUserId].join(" ").trimEnd();
}

/** One call on its way through the pipeline. */
export interface Context<W extends World = World> {
  readonly world: W;
  readonly row: RpcRow;
  readonly call: Call;
  readonly request: Message;
  /** Aborted when the caller leaves, its deadline passes or the reference is closed. */
  readonly signal: AbortSignal;
  /** Identifies this attempt in its ErrorDetail. */
  readonly correlationId: string;
  /** The request's `workspaceId`, lower case; empty when absent. */
  readonly workspaceId: string;
  /** All the request says of whose records it is about: workspace, and app and customer user where it names them. */
  readonly tenant: Tenant;
  /** Set by `authenticate`. */
  principal: Principal | undefined;
  /** The record the request names, where the row is about one. Set by `findSubject`. */
  subject: Message | undefined;
}

/** What a call is answered with: one message, or several. */
export type Reply = Message | AsyncIterable<Message>;

/** Serves one RPC, after the pipeline: `Context` to reply. */
export type Handler<W extends World = World> = (context: Context<W>, request: Message) => Reply | Promise<Reply>;

/** Whether a reply is a stream. */
export function isStream(reply: Reply): reply is AsyncIterable<Message> {
  return Symbol.asyncIterator in reply;
}

/** Who calls. Throws before authentication. */
export function principalOf(context: Context): Principal {
  if (context.principal === undefined) throw new Error(`${context.row.name} was not authenticated`);
  return context.principal;
}
