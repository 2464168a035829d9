import { z } from "zod";
import type { Results } from "../harness/case/result.ts";

const level = z.enum(["must", "protocol", "should", "open"]);
const outcome = z.enum(["held", "violated", "unproven", "not-exercised", "error"]);
const verdict = z.enum(["conformant", "non-conformant", "incomplete"]);
const amount = z.int().nonnegative();
const milliseconds = z.number().nonnegative();
const sha256 = z.string().describe("SHA-256 in hexadecimal");
const rpc = z.string().describe("Name of an RPC, e.g. alpha.v1.SecretService/GetSecret");
const headers = z.array(z.tuple([z.string(), z.string()])).describe("Name and value of each header, in order");
const tally = { held: amount, violated: amount, unproven: amount, "not-exercised": amount, error: amount };

const finding = z
  .strictObject({
    clause: z.string(),
    level,
    rpc,
    rule: z.string().describe("The rule that was broken, as a sentence"),
    expected: z.string(),
    actual: z.string(),
    at: z.string().optional().describe("Field path, where the breach is about a field"),
    exchanges: z.array(amount).describe("Numbers of the exchanges that show it, the decisive one last"),
  })
  .meta({ id: "Finding", description: "One breach of a clause" });

const frame = z.strictObject({
  at: milliseconds.describe("Milliseconds since the request was sent"),
  flags: amount,
  text: z.string(),
});

const exchange = z
  .strictObject({
    number: amount,
    rpc: rpc.optional(),
    request: z.strictObject({ method: z.string(), url: z.string(), headers, body: z.string() }),
    response: z
      .strictObject({ status: amount, headers, body: z.string(), frames: z.array(frame).optional() })
      .optional(),
    failure: z.string().optional().describe("Why there is no whole response"),
    startedAt: milliseconds.optional().describe("Milliseconds since 1970"),
    durationMs: milliseconds,
    curl: z.string(),
  })
  .meta({ id: "Exchange", description: "One HTTP request with its response, credentials redacted" });

const caseResult = z
  .strictObject({
    id: z.string(),
    area: z.string(),
    rpc,
    says: z.string(),
    clauses: z.array(z.string()),
    level,
    outcome,
    findings: z.array(finding),
    reason: z.string().optional().describe("Why it is unproven, not exercised or in error"),
    checks: amount,
    exchanges: z.array(exchange),
    replay: z.string(),
    triage: z
      .enum(["deterministic", "racy", "unreproduced", "not-repeated"])
      .optional()
      .describe("What repeating a red case showed: red every time, red at times, or never again"),
    history: z.array(z.string()).optional().describe("The shortest sequence of calls that shows the finding"),
    startedAt: milliseconds
      .optional()
      .describe("Milliseconds since 1970; not of what is concluded from others' exchanges"),
    durationMs: milliseconds,
  })
  .meta({ id: "Case", description: "What one case came to on one RPC" });

const observation = z
  .strictObject({ clause: z.string(), rpc, value: z.string() })
  .meta({ id: "Observation", description: "What a server chose where the contract is open" });

const rpcResult = z
  .strictObject({
    rpc,
    verdict,
    warnings: amount,
    held: amount,
    violated: amount,
    unproven: amount,
    notExercised: amount,
    areas: z.record(z.string(), z.strictObject(tally)),
  })
  .meta({ id: "Rpc", description: "The roll-up of one RPC; counts are of cases" });

const rpcFacts = z
  .strictObject({
    rpc,
    stream: z.boolean(),
    scope: z.string(),
    credentials: z.array(z.string()),
    effect: z.string(),
    subject: z.string(),
    execution: z.string(),
    cost: z.string(),
    payloadAccess: z.string().optional(),
    fixture: z.boolean(),
    fields: z.record(z.string(), z.array(z.string())).describe("Fields with a part of their own, by that part"),
  })
  .meta({ id: "RpcFacts", description: "One RPC's line of the contract" });

const clauseText = z
  .strictObject({
    id: z.string(),
    level,
    says: z.string(),
    at: z.string().describe("Where it stands: chapter of the document, or ids of the protocol sheet"),
    link: z.string().optional().describe("The same as a URL, or as a path in Hallmark's repository or package"),
  })
  .meta({ id: "Clause", description: "A clause that the results speak of" });

const shard = z
  .strictObject({
    index: amount,
    count: amount,
    planned: amount.describe("Cases of the whole run, each counted on each of its RPCs"),
    planHash: z.string().describe("SHA-256 of their names"),
    standing: z.array(z.string()).describe("Rules that every shard concludes over what it exchanged"),
    commit: z.string(),
    contractHash: z.string(),
    targetKeys: z.string().describe("SHA-256 of which keys the target file has"),
    whole: z.boolean().describe("The shard came to its end: nothing broke it off"),
  })
  .meta({ id: "Shard", description: "Which part of a run these results are, and what the whole is" });

const usage = z
  .strictObject({
    jobs: amount.describe("Runs of alpha.v1 fixtures, in any form"),
    runs: amount.describe("Runs of beta.v1"),
    deliveries: amount.describe("Requests that the webhook receiver got"),
    loginRequests: amount.describe("OAuth login requests that were completed"),
    resources: amount.describe("Everything that was created and has an id, jobs and runs among it"),
    calls: z
      .strictObject({
        answered: amount.describe("Calls that were answered"),
        failed: amount.describe("Those of them that failed with a server error"),
      })
      .optional()
      .describe("Absent in older results"),
    receiver: z
      .strictObject({
        slowestMs: milliseconds.describe("The longest time from a request to its answer"),
        lateMs: milliseconds.describe("How long it had no processor in all"),
      })
      .optional()
      .describe("How Hallmark's own webhook receiver did"),
  })
  .meta({
    id: "Usage",
    description: "What a run made on its target, as far as replies and the webhook receiver showed it",
  });

const results = z
  .strictObject({
    format: z.literal("hallmark-results/1"),
    tool: z.strictObject({ name: z.literal("hallmark"), version: z.string(), contract: z.string() }),
    target: z.strictObject({
      name: z.string(),
      baseUrl: z.string(),
      testBaseUrl: z.string().optional(),
      betaBaseUrl: z.string().optional(),
    }),
    seed: z.int(),
    runs: amount,
    startedAt: z.string().meta({ format: "date-time" }),
    durationMs: milliseconds,
    complete: z.boolean(),
    selection: z.array(z.string()),
    depth: z.enum(["smoke", "standard", "deep"]).optional().describe("How much the run asked; none: standard"),
    summary: z.strictObject({
      ...tally,
      cases: amount,
      warnings: amount,
      exchanges: amount,
      rpcs: z.strictObject({ conformant: amount, "non-conformant": amount, incomplete: amount }),
    }),
    rpcs: z.array(rpcResult),
    cases: z.array(caseResult),
    observations: z.array(observation),
    leftovers: z.array(z.string()),
    usage: usage.optional().describe("What the run made on its target"),
    contract: z
      .strictObject({ rpcs: z.array(rpcFacts), clauses: z.array(clauseText) })
      .optional()
      .describe("Rows of the RPCs and texts of the clauses named in the results"),
    requirements: z
      .strictObject({
        version: z.string().optional().describe("Of the frozen set; none where the suite is that of no release"),
        hash: z.string().describe("SHA-256 of its clauses with their levels, and of its cases with their RPCs"),
      })
      .optional()
      .describe("The set of requirements they were judged by"),
    digests: z
      .strictObject({
        suite: sha256.describe("Every module of the suite"),
        commit: z.string().describe("Commit of the suite, with + where files differed from it"),
        contract: sha256.describe("The contract as the suite has it"),
        target: sha256.describe("The target file, labels in the place of credentials"),
        profile: sha256.optional().describe("The profile the run was held against"),
        evidence: z
          .array(sha256)
          .describe("The last line of the evidence, which stands for all; of a merged run, of each shard"),
      })
      .optional()
      .describe("SHA-256 of what they were made with and from"),
    shard: shard.optional().describe("Where they are those of one shard"),
  })
  .meta({ title: "Hallmark results", description: "Everything a conformance run came to (results.json)" });

/** The published JSON Schema of `results.json` (draft 2020-12). */
export function resultsSchema(): object {
  return z.toJSONSchema(results);
}

/**
 * Reads the text of a `results.json`. Throws an Error of one sentence that names the file and the first thing
 * wrong with it.
 */
export function parseResults(text: string, fileName: string): Results {
  const value = parseJson(text, fileName);
  const format = formatOf(value);
  if (format === undefined) throw new Error(`${fileName} is not a Hallmark results file: it has no "format"`);
  if (format !== "hallmark-results/1")
    throw new Error(
      `${fileName} is written in the format ${JSON.stringify(format)}, and only "hallmark-results/1" can be read`,
    );
  const parsed = results.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "" : ` at ${pathOf(issue.path)}`;
  throw new Error(`${fileName} is not a valid results file${place}: ${issue?.message ?? "unknown reason"}`);
}

function parseJson(text: string, fileName: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${fileName} is not JSON: ${why.replaceAll(/\s+/g, " ")}`);
  }
}

function formatOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
}

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${String(key)}`))
    .join("");
}

/** The type a schema yields and the type of the harness, both with `readonly` and intersections evened out. */
type Even<T> = T extends readonly unknown[]
  ? { readonly [K in keyof T]: Even<T[K]> }
  : T extends object
    ? { readonly [K in keyof T]: Even<T[K]> }
    : T;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Fails to compile as soon as the schema and `Results` differ in a name, a type or an optional mark. */
const schemaIsResults: Same<Even<z.infer<typeof results>>, Even<Results>> = true;
void schemaIsResults;
