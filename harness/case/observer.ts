import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { SecretKind, SecretRegistry } from "../secrets/registry.ts";
import type { Exchange } from "../wire/exchange.ts";
import type { Reply } from "../wire/reply.ts";
import type { WireRequest } from "../wire/request.ts";
import type { CaseResult, Finding, RunSummary, RunTriage } from "./result.ts";

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
  /** Who made it: case id and RPC, with what it did beside its own question: `… shared 0`, `… undo`, `…#3`. */
  readonly by: string;
  readonly exchange: Exchange;
  readonly call?: SeenCall;
  /** What came of the call, as it was read; none where nobody waited for it. */
  readonly reply?: Reply;
  /** The RPC that gave its address out, where it is no call but an upload or a download. */
  readonly givenBy?: RpcRow;
  /** It is a request that our webhook receiver got, at an endpoint that `givenBy` made. */
  readonly received?: true;
}

/** A finding of an invariant, as it is made. */
export interface InvariantFinding {
  readonly finding: Finding;
  /** Id of the invariant. */
  readonly rule: string;
  /** The case, and its RPC, that made the exchange: `version/stale-is-refused alpha.v1.SecretService/RotateSecret`. */
  readonly by: string;
}

/** A wait that ended at its limit, without what was waited for. */
export interface VainWait {
  /** Who waited, as in `SeenExchange`. */
  readonly by: string;
  readonly what: "look" | "reply" | "turn";
  /** The limit, in milliseconds: no clock is asked, so that it is the same on any machine. */
  readonly ms: number;
}

/** How a run ended. */
export interface RunEnd {
  readonly summary: RunSummary;
  readonly triage: RunTriage;
  /** Its user ended it early. */
  readonly interrupted: boolean;
}

/** Told of a run as it goes on: what writes its evidence, shows how far it is, or looks at what a case does. */
export interface RunObserver {
  /** Whether it is to see what is repeated, too: else what it hears of is what the run itself came to. */
  readonly repetitionsToo?: boolean;
  /**
   * What the run guards its secrets by, before anything is sent.
   * @param isIssuing whether a reply is due that may issue a credential: another reply may have it already
   */
  readonly onOpen?: (secrets: Pick<SecretRegistry, "leak">, isIssuing: () => boolean) => void;
  /** Every request before it is sent, credentials and all. */
  readonly onSend?: (request: WireRequest) => void;
  /** Every exchange, once it is over. */
  readonly onExchange?: (seen: SeenExchange) => void;
  /** Every wait that was in vain; one for what is not to come is among them. */
  readonly onVainWait?: (wait: VainWait) => void;
  /** Every value that must not be written down, when the run begins to guard it. */
  readonly onSecret?: (value: Uint8Array | string, label: string, kind: SecretKind) => void;
  /** Every credential that is kept out of what is written, and is no breach where it comes back. */
  readonly onConceal?: (value: Uint8Array | string, label: string) => void;
  /** Every finding of an invariant; what cases find comes with their results. */
  readonly onInvariantFinding?: (found: InvariantFinding) => void;
  /** What every case came to, and every invariant, once it is known. */
  readonly onResult?: (result: CaseResult) => void;
  /** The end of the run: everything is undone, and every result is known. */
  readonly onEnd?: (end: RunEnd) => void;
}
