import type { JsonObject } from "@bufbuild/protobuf";
import { resolveClause } from "../../proto/clauses/index.ts";
import { type PackageName, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import type { CaseContext } from "../runner/context.ts";
import type { LocatedSecret } from "../secrets/canaries.ts";
import type { Exchange } from "../wire/exchange.ts";
import type { Reply } from "../wire/reply.ts";

/** What part of the contract a case is about: the first part of its id, and a column of the report's matrix. */
export const areas = [
  "wire",
  "transport",
  "auth",
  "isolation",
  "input",
  "idempotency",
  "version",
  "paging",
  "stream",
  "lifecycle",
  "secrecy",
  "events",
] as const;
export type Area = (typeof areas)[number];

interface Described {
  /** `area/what-is-required`; stable, never reused. */
  readonly id: `${Area}/${string}`;
  /** The rule as a sentence. */
  readonly says: string;
  /** Clause ids, the main one first. `*.` stands for the package of the RPC. Severity is looked up there. */
  readonly clauses: readonly string[];
  /** It compares answers with each other: no call need be served to prove something. */
  readonly differential?: true;
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

/** A breach as an oracle states it; the case and the exchange are added by whoever asked. */
export interface Breach {
  readonly clause: string;
  readonly expected: string;
  readonly actual: string;
  /** Place in the message: `secret.resourceVersion`. */
  readonly at?: string;
}

/** What an invariant may know beside the reply. */
export interface InvariantFacts {
  /** Finds registered secrets in bytes or text; returns what was found and where it may not stand. */
  readonly findSecrets: (reply: Reply) => readonly LocatedSecret[];
  /** The same for what is no reply of an RPC. */
  readonly findSecretsIn: (exchange: Exchange) => readonly LocatedSecret[];
}

export type SecretKind = "secret value" | "signing secret" | "credential" | "issued credential";

/** A rule judged over every exchange of the run, whatever case made it. */
export interface Invariant extends Described {
  readonly kind: "invariant";
  readonly rows: (row: RpcRow) => boolean;
  /** Breaches in one reply; undefined where the reply says nothing to the question. */
  judge(reply: Reply, facts: InvariantFacts): readonly Breach[] | undefined;
  /** Breaches in what an address that the row gave out answered: an upload's, a download's. */
  judgeAddress?(exchange: Exchange, facts: InvariantFacts, row: RpcRow): readonly Breach[] | undefined;
  /** Notes what the reply shows of open points. */
  observe?(reply: Reply): readonly { readonly clause: string; readonly value: string }[];
}

export type Case = ScenarioCase | RuleCase | Invariant;

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

/** One case on one RPC: the unit that is run and reported. */
export interface Instance<C extends Case = Case> {
  readonly case: C;
  readonly row: RpcRow;
  readonly area: Area;
  /** Full ids of the clauses it cites for the row's package, the main one first. */
  readonly clauses: readonly string[];
}

/** The area of a case id. */
export function areaOf(id: string): Area {
  return id.slice(0, id.indexOf("/")) as Area;
}

/** The clauses a case cites for a package: a rule may cite what only one of the documents says. */
export function clausesFor({ clauses }: Case, packageName: PackageName): readonly string[] {
  return clauses.flatMap((id) => resolveClause(id, packageName)?.id ?? []);
}

/** Plans made: a proof asks for the same one a thousand times. */
const plans = new WeakMap<readonly Case[], Map<string, readonly Instance[]>>();

/** Every case on every row it fits, in a stable order. */
export function planInstances(cases: readonly Case[], packages: readonly PackageName[]): readonly Instance[] {
  const made = plans.get(cases) ?? new Map<string, readonly Instance[]>();
  plans.set(cases, made);
  const key = packages.join();
  const known = made.get(key);
  if (known !== undefined) return known;
  const rows = rpcs.filter((row) => packages.includes(row.package));
  const instances = cases.flatMap((one) =>
    rows
      .filter((row) => (one.kind === "scenario" ? row.name === one.rpc : one.rows(row)))
      .map((row) => ({ case: one, row, area: areaOf(one.id), clauses: clausesFor(one, row.package) }))
      .filter(({ clauses }) => clauses.length > 0),
  );
  made.set(key, instances);
  return instances;
}

/** A request as JSON. */
export type Request = JsonObject;
