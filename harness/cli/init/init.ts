import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { home } from "../../package/home.ts";
import { checkTarget, UsageError } from "../../target/load.ts";
import { exits } from "../exit.ts";
import { output } from "../output.ts";
import { writeText } from "../write-text.ts";
import { createAsking } from "./ask.ts";
import { askForTarget } from "./questions.ts";
import { type Answers, renderTargetFile } from "./render.ts";

/** Flags of `hallmark init`. */
export interface InitFlags {
  readonly baseUrl?: string;
  readonly testBaseUrl?: string;
  readonly betaBaseUrl?: string;
  readonly name?: string;
  /** Nothing is asked: what the flags do not say stays a comment. */
  readonly yes?: boolean;
  readonly force?: boolean;
}

/** The clone, or the project that this Hallmark is installed in. */
const [tree = home] = home.split(`${sep}node_modules${sep}`);

/**
 * Where an editor finds the schema: relative where the file stands in the same tree, which holds wherever that is checked out.
 * Elsewhere a path of this machine would mean nothing to others: the schema is then written beside the file.
 */
function schemaFor(file: string): string {
  const path = join(home, "docs/target.schema.json");
  if (resolve(file).startsWith(tree + sep)) return relative(dirname(resolve(file)), path);
  const beside = "hallmark-target.schema.json";
  writeText("The schema", join(dirname(resolve(file)), beside), readFileSync(path, "utf8"));
  return `./${beside}`;
}

function flagged({ name, baseUrl, testBaseUrl, betaBaseUrl }: InitFlags): Answers {
  const given = { name, "alpha.baseUrl": baseUrl, "alpha.testBaseUrl": testBaseUrl, "beta.baseUrl": betaBaseUrl };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Checks what was given by flags, before anything is asked. */
function checkFlags({ name, baseUrl, testBaseUrl, betaBaseUrl }: InitFlags): void {
  checkTarget({ name, alpha: { baseUrl, testBaseUrl }, beta: { baseUrl: betaBaseUrl } }, "the flags");
}

/** Writes a commented target file: by asking, or with `--yes` from the flags alone. */
export async function init(file: string, flags: InitFlags): Promise<number> {
  checkFlags(flags);
  if (existsSync(file) && flags.force !== true) {
    throw new UsageError(`${file} exists already; choose another name, or give --force to overwrite it.`);
  }
  const answers = flags.yes === true ? flagged(flags) : await asked(flags);
  if (answers["alpha.baseUrl"] === undefined && answers["beta.baseUrl"] === undefined) {
    throw new UsageError(
      "A target needs a base URL: give --base-url or --beta-base-url, or answer the question for one.",
    );
  }
  writeText("The target file", file, renderTargetFile(answers, schemaFor(file)));
  const variables = Object.values(answers).flatMap((value) => /^\$\{(.+)\}$/.exec(String(value))?.[1] ?? []);
  const set = variables.length === 0 ? "" : ` Set ${variables.join(", ")} in the environment.`;
  output.print(`Wrote ${file}.${set} Next: hallmark doctor ${file}, then hallmark run ${file}\n`);
  return exits.held;
}

async function asked(flags: InitFlags): Promise<Answers> {
  const asking = createAsking();
  try {
    return await askForTarget(asking, flagged(flags));
  } finally {
    asking.close();
  }
}
