import { checkTarget, UsageError } from "../../target/load.ts";
import { output } from "../output.ts";
import type { Asking, Check } from "./ask.ts";
import type { Answers } from "./render.ts";

/** A value at a path, as the nested mapping it stands for. */
function nested(path: string, value: unknown): unknown {
  return path.split(".").reduceRight<unknown>((inner, part) => ({ [part]: inner }), value);
}

/** Checks an answer by the schema of the target file. */
function asKey(path: string, read: (answer: string) => unknown = (answer) => answer): Check {
  return (answer) => {
    try {
      checkTarget(nested(path, read(answer)), "the answer");
      return undefined;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return error.message.replace(/^.*?" /, "").replace(/\.$/, "");
    }
  };
}

const words = (answer: string) =>
  answer
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
const isName: Check = (answer) =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(answer) ? undefined : "must be the name of an environment variable, not a credential";
const isYesOrNo: Check = (answer) => (/^(y|yes|n|no)$/i.test(answer) ? undefined : 'must be "y" or "n"');

/**
 * Asks for what matters most, the address first, and returns what was answered, by key. Credentials are never asked for:
 * their variables are. A question that gets no usable answer is left out, with what only it would lead to.
 */
export async function askForTarget(asking: Asking, known: Answers): Promise<Answers> {
  const answers: Record<string, unknown> = { ...known };

  /** As `ask`, but that what cannot be had stays open: what was answered before is not lost for it. */
  const ask: Asking["ask"] = async (question, options) => {
    try {
      return await asking.ask(question, options);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      output.print(`  Left open: ${error.message}\n`);
      return undefined;
    }
  };

  async function put(path: string, question: string, read?: (answer: string) => unknown): Promise<boolean> {
    if (answers[path] !== undefined) return true;
    const answer = await ask(question, { check: asKey(path, read) });
    if (answer !== undefined) answers[path] = read?.(answer) ?? answer;
    return answer !== undefined;
  }
  async function putVariable(path: string, what: string, otherwise: string): Promise<void> {
    const name = await ask(`Environment variable with ${what}`, { otherwise, check: isName });
    if (name !== undefined) answers[path] = `\${${name}}`;
  }

  if (await put("alpha.baseUrl", "Base URL of alpha.v1 (empty: not judged)")) {
    await put("alpha.testBaseUrl", "Base URL of its fixtures (empty: none)");
    if (await put("alpha.workspaceId", "Workspace to work in, a UUID (empty: the anonymous tier only)")) {
      await putVariable("alpha.apiKeys.all", "a key of it with every scope", "ALPHA_KEY");
      await put("alpha.miniAppIds", "Mini apps that exist, comma-separated (empty: none)", words);
      if (await put("alpha.secondWorkspace.workspaceId", "A second workspace, for isolation (empty: none)")) {
        await putVariable("alpha.secondWorkspace.apiKey", "a key of that one", "ALPHA_SECOND_KEY");
      }
    }
  }
  if (await put("beta.baseUrl", "Base URL of beta.v1 (empty: not judged)")) {
    if (await put("beta.workspaceId", "Its workspace, a UUID (empty: the anonymous tier only)")) {
      await put("beta.appId", "The app to work in, a UUID");
      await put("beta.appVersionIds", "Published versions of the app, UUIDs, comma-separated (empty: none)", words);
      await putVariable("beta.backendKeys.all", "a backend key with every scope", "BETA_KEY");
    }
  }
  await put("name", "How reports call the target (empty: its URL)");
  const reachable = await ask("Can the target reach this machine, to deliver webhooks? y or n", {
    otherwise: "n",
    check: isYesOrNo,
  });
  if (reachable?.toLowerCase().startsWith("y") === true) answers["webhooks.listen"] = "127.0.0.1:0";
  return answers;
}
