import { stringify } from "yaml";
import { listTargetKeys, type TargetKey } from "../target-keys.ts";

/** Values of a target file by the path of their keys: `alpha.baseUrl`. */
export type Answers = Readonly<Record<string, unknown>>;

const uuid = "01990000-0000-7000-8000-000000000001";

/** What a key that is left out might say. */
const examples: Readonly<Record<string, unknown>> = {
  name: "our staging",
  "patience.runMs": 600_000,
  "alpha.baseUrl": "https://alpha.example.test",
  "alpha.testBaseUrl": "https://alpha-fixtures.example.test",
  "alpha.workspaceId": uuid,
  "alpha.apiKeys.all": "${ALPHA_KEY}",
  "alpha.apiKeys.limited": [{ token: "${ALPHA_READ_KEY}", scopes: ["secrets:read"] }],
  "alpha.secondWorkspace.workspaceId": "01990000-0000-7000-8000-000000000002",
  "alpha.secondWorkspace.apiKey": "${ALPHA_SECOND_KEY}",
  "alpha.miniAppIds": ["test-fixture"],
  "alpha.fixtureInputs.succeed": "ok",
  "alpha.fixtureInputs.fail": "fail",
  "alpha.fixtureInputs.slow": "slow",
  "alpha.fixtureInputs.artifacts": "artifacts",
  "alpha.fixtureInputs.retry": "retry",
  "alpha.fixtureInputs.stream": "stream",
  "beta.baseUrl": "https://beta.example.test",
  "beta.workspaceId": uuid,
  "beta.appId": uuid,
  "beta.appVersionIds": [uuid],
  "beta.toolIds": [uuid],
  "beta.backendKeys.all": "${BETA_KEY}",
  "beta.backendKeys.limited": [{ token: "${BETA_READ_KEY}", scopes: ["runs:read"] }],
  "beta.mcpTokens": [{ token: "${BETA_MCP_TOKEN}", scopes: ["runs:read"] }],
  "beta.idpTokens.permitted": "${BETA_IDP_TOKEN}",
  "beta.idpTokens.unpermitted": "${BETA_UNPERMITTED_IDP_TOKEN}",
  "beta.secondTenant.workspaceId": "01990000-0000-7000-8000-000000000002",
  "beta.secondTenant.appId": "01990000-0000-7000-8000-000000000002",
  "beta.secondTenant.appVersionId": "01990000-0000-7000-8000-000000000002",
  "beta.secondTenant.backendKey": "${BETA_SECOND_KEY}",
  "beta.inputs.complete": "say hello",
  "beta.inputs.fail": "fail",
  "beta.inputs.slow": "take your time",
  "beta.inputs.approval": "use the guarded tool",
  "beta.inputs.artifact": "make a file",
  "beta.inputs.memory": "remember this",
  "beta.inputs.unknown": "get lost",
  "beta.inputs.expiring": "use the guarded tool within seconds",
  "beta.oauthLoginRequests": [{ id: uuid }],
  "beta.browserOrigin": "https://app.example.test:8443",
  "webhooks.publicUrl": "https://receiver.example.test",
  "limits.requestsPerSecond": 50,
  "limits.jobs": 300,
  "limits.runs": 400,
  "limits.endpoints": 12,
  "limits.deliveries": 1000,
  "limits.loginRequests": 30,
  "tls.caFile": "authority.pem",
};

/**
 * A target file with every key there is: those answered as they are, all others as comments with an example.
 * @param schema where an editor finds the JSON Schema
 */
export function renderTargetFile(answers: Answers, schema: string): string {
  const keys = listTargetKeys().filter(({ path }) => path !== "$schema");
  const lines = keys.flatMap((key) => linesOf(key, answers));
  return [
    `# yaml-language-server: $schema=${schema}`,
    "# A Hallmark target file: the server under test, and what the suite may use there.",
    "# Every key but a base URL is optional; `hallmark doctor` says what a missing one would add.",
    "# ${NAME} is taken from the environment: keep credentials there, not here.",
    ...lines,
    "",
  ].join("\n");
}

function linesOf(key: TargetKey, answers: Answers): string[] {
  const { path, description, kind } = key;
  const parts = path.split(".");
  const indent = "  ".repeat(parts.length - 1);
  const given = isGiven(path, answers);
  const mark = given ? "" : "# ";
  const lead = parts.length === 1 ? [""] : [];
  const about = description === "" ? [] : [`${indent}# ${description}`];
  const name = parts.at(-1) ?? "";
  if (kind === "mapping") return [...lead, ...about, `${indent}${mark}${name}:`];
  const value = given ? answers[path] : (examples[path] ?? key.default ?? "");
  return [...lead, ...about, `${indent}${mark}${name}: ${inline(value)}`];
}

/** True for a key that was answered, and for a mapping with one in it. */
function isGiven(path: string, answers: Answers): boolean {
  return Object.keys(answers).some((answered) => answered === path || answered.startsWith(`${path}.`));
}

/** A value on one line. */
function inline(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trimEnd();
}
