import type { RpcRow } from "../../proto/rpcs.ts";
import type { LocatedSecret } from "../secrets/canaries.ts";
import type { Exchange, SentRequest } from "../wire/exchange.ts";
import type { Reply } from "../wire/reply.ts";
import type { Area } from "./area.ts";
import type { Breach } from "./breach.ts";
import type { CaseContext } from "./context.ts";

interface Described {
  /** `area/what-is-required`; stable, never reused. */
  readonly id: `${Area}/${string}`;
  /** The rule as a sentence. */
  readonly says: string;
  /** Clause ids, the main one first. `*.` stands for the package of the RPC. Severity is looked up there. */
  readonly clauses: readonly string[];
  /** It compares answers with each other: no call need be served to prove something. */
  readonly differential?: true;
  /** It needs webhook deliveries, though its RPC is not about them: it is put while few jobs run. */
  readonly aboutDeliveries?: true;
  /** It lasts seconds, in which it mostly waits for time to pass: it begins before others, which go on beside it. */
  readonly waits?: true;
  /**
   * True for the RPCs it is asked of in smoke already; default none, and of an invariant all. Smoke has few requests: see
   * suites/smoke.test.ts.
   */
  readonly smoke?: (row: RpcRow) => boolean;
}

/** A case about one RPC, perhaps using others. */
export interface ScenarioCase extends Described {
  readonly kind: "scenario";
  readonly rpc: string;
  run(context: CaseContext): Promise<void>;
}

/** A case generator over RPC rows: one question put to every row that fits. */
export interface RuleCase extends Described {
  readonly kind: "rule";
  readonly rows: (row: RpcRow) => boolean;
  run(context: CaseContext): Promise<void>;
}

/** What an invariant may know beside the reply. */
export interface InvariantFacts {
  /** Finds registered secrets in bytes or text; returns what was found and where it may not stand. */
  readonly findSecrets: (reply: Reply) => readonly LocatedSecret[];
  /** The same for what is no reply of an RPC. */
  readonly findSecretsIn: (exchange: Exchange) => readonly LocatedSecret[];
  /** The same for a request that the webhook receiver got. */
  readonly findSecretsInRequest: (request: SentRequest) => readonly LocatedSecret[];
  /** Whether a mutation has left a record at a lower version: then versions have no order, as how they step is open. */
  readonly versionsFall: () => boolean;
}

/** A rule judged over every exchange of the run, whatever case made it. */
export interface Invariant extends Described {
  readonly kind: "invariant";
  readonly rows: (row: RpcRow) => boolean;
  /** Breaches in one reply; undefined where the reply says nothing to the question. */
  judge(reply: Reply, facts: InvariantFacts): readonly Breach[] | undefined;
  /** Breaches in what an address that the row gave out answered: an upload's, a download's. */
  judgeAddress?(exchange: Exchange, facts: InvariantFacts, row: RpcRow): readonly Breach[] | undefined;
  /** Breaches in a request to a webhook endpoint that the row made. */
  judgeReceived?(request: SentRequest, facts: InvariantFacts, row: RpcRow): readonly Breach[] | undefined;
  /** Notes what the reply shows of open points. */
  observe?(reply: Reply): readonly { readonly clause: string; readonly value: string }[];
}

export type Case = ScenarioCase | RuleCase | Invariant;

/** The rows of these full names: a sample of those that a rule asks. */
export function rowsNamed(...names: readonly string[]): (row: RpcRow) => boolean {
  return ({ name }) => names.includes(name);
}

/** Defines a scenario. Cases are plain values: the run, the proof and a user's own test runner take the same ones. */
export function defineCase(story: Omit<ScenarioCase, "kind">): ScenarioCase {
  return { kind: "scenario", ...story };
}

/** Defines a rule over rows. */
export function defineRule(rule: Omit<RuleCase, "kind">): RuleCase {
  return { kind: "rule", ...rule };
}

/** Defines an invariant. */
export function defineInvariant(rule: Omit<Invariant, "kind">): Invariant {
  return { kind: "invariant", ...rule };
}
