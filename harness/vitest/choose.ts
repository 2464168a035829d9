import { type Chosen, chooseTarget, defaultTarget } from "../cli/choose-target.ts";
import { output } from "../cli/output.ts";
import { credentialsOf } from "../target/keys.ts";
import { checkTarget, UsageError } from "../target/load.ts";
import type { TargetFile } from "../target/schema.ts";
import { createTarget } from "../target/target.ts";

/** Names of the environment that say what tests judge. */
export const targetVariable = "HALLMARK_TARGET";
export const baseUrlVariable = "HALLMARK_BASE_URL";

/** What tests judge, and how they call it. */
export interface Judged extends Pick<Chosen, "settings" | "command" | "close"> {
  readonly title: string;
}

/**
 * The target of the tests: the one given, else the environment's, else a target file that lies here. It is printed.
 * @throws UsageError where there is none, or it is wrong; CommandFailure where it cannot be reached
 */
export async function chooseJudged(
  given: string | TargetFile | undefined,
  seed: number,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Judged> {
  const chosen = await choose(given, environment);
  const { alpha, beta } = chosen.settings;
  const urls = [alpha?.baseUrl, beta?.baseUrl].filter((url) => url !== undefined);
  const title = `conformance of ${createTarget(chosen.settings).name}, ${urls.join(" and ")}`;
  output.print(`Hallmark: ${title}, seed ${seed}\n`);
  return { ...chosen, title };
}

async function choose(given: string | TargetFile | undefined, environment: NodeJS.ProcessEnv) {
  if (typeof given === "object") {
    const settings = checkTarget(given, "the target given to conformance()", environment);
    output.guard(credentialsOf(settings));
    return { settings, command: "hallmark run", close: async () => {} };
  }
  const [named, baseUrl] = [environment[targetVariable], environment[baseUrlVariable]].map((text) => text || undefined);
  // What the tests themselves name is not replaced from outside.
  const flags = given !== undefined || baseUrl === undefined ? {} : { baseUrl };
  const file = given ?? named ?? defaultTarget(flags);
  if (file === undefined && baseUrl === undefined) {
    throw new UsageError(
      `Nothing to judge: set ${targetVariable} to a target file or ${baseUrlVariable} to an address, or put target.yaml here.`,
    );
  }
  return chooseTarget(file, flags);
}
