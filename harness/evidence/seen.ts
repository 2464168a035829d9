import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { SecretKind, SecretRegistry } from "../secrets/registry.ts";
import type { Exchange } from "../wire/exchange.ts";

/** The call an exchange was, where it was one. */
export interface SeenCall {
  readonly row: RpcRow;
  /** The request as JSON, as the invariants judge the reply by it. */
  readonly request: JsonObject;
  /** Invariants it is no evidence for. */
  readonly exempt: readonly string[];
  /** False where invariants leave it alone: it was no Connect call, or was given up before it began. */
  readonly judged: boolean;
}

/** An exchange as a run made it, in the order the invariants saw it. */
export interface SeenExchange {
  /** Who made it: case id and RPC, with what it did beside its own question: `… apart`, `… undone`, `…#3`. */
  readonly by: string;
  readonly exchange: Exchange;
  readonly call?: SeenCall;
  /** The RPC that gave its address out, where it is no call but an upload or a download. */
  readonly givenBy?: RpcRow;
}

/** Watches a run: for evidence, and for showing what a case does. */
export interface RunObserver {
  /** What the run guards its secrets by, before anything is sent. */
  readonly onOpen?: (secrets: Pick<SecretRegistry, "find">) => void;
  /** Every exchange, once it is over. */
  readonly onExchange?: (seen: SeenExchange) => void;
  /** Every value that must not be written down, when the run begins to guard it. */
  readonly onSecret?: (value: Uint8Array | string, label: string, kind: SecretKind) => void;
  /** Bytes of a reply that were looked through, and held no guarded value. */
  readonly onClean?: (bytes: Uint8Array) => void;
}
