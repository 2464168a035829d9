import { globSync, readFileSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { judgedServices, startEmbedded } from "../harness/servers/reference/embedded.ts";
import { runCompose, runJob } from "./recipes/container.ts";
import { runGitHub, runGitHubNightly } from "./recipes/github.ts";
import { runGitLab } from "./recipes/gitlab.ts";
import { runKubernetes, runKubernetesNightly } from "./recipes/kubernetes.ts";
import { createMachines, filesBelow, type Machines } from "./recipes/machine.ts";
import { linesOf, runnable, runPage } from "./recipes/pages.ts";
import { commandsIn, runProse } from "./recipes/prose.ts";

/** `node .ci/recipes.ts [PART OF A NAME]` runs those recipes, and those pages, alone. */
const chosen = process.argv[2] ?? "";

/**
 * The recipes of docs/ci do what they say: reads the commands out of them, runs them against the embedded references, as
 * many times and with what environment the CI service would, and demands the reports of the whole run. Fails where one
 * fails, where a recipe has a command that was not run, and where a credential stands in what was written.
 */
const docs = resolve(import.meta.dirname, "..", "docs");
const page = join(docs, "ci.md");
const recipe = (name: string) => join(docs, "ci", name);

/** Runs a recipe; `servers` is the base URL of the one under judgement, and that of its fixtures. */
type Run = (machines: Machines, servers: string) => Promise<void>;

const runs: Readonly<Record<string, Run>> = {
  "docs/ci.md": (machines) => runProse(page, machines),
  "docs/ci/github-actions.yml": (machines) => runGitHub(recipe("github-actions.yml"), machines),
  "docs/ci/gitlab.yml": (machines) => runGitLab(recipe("gitlab.yml"), machines),
  "docs/ci/kubernetes-{shards,merge}.yml": (machines) =>
    runKubernetes([recipe("kubernetes-shards.yml"), recipe("kubernetes-merge.yml")], machines),
  "docs/ci/github-nightly.yml": (machines, servers) =>
    runGitHubNightly(recipe("github-nightly.yml"), servers, machines),
  "docs/ci/kubernetes-nightly.yml": (machines, servers) =>
    runKubernetesNightly(recipe("kubernetes-nightly.yml"), servers, machines),
  "docs/ci/kubernetes-job.yml": (machines) => runJob(recipe("kubernetes-job.yml"), machines),
  "docs/ci/compose.yml": (machines) => runCompose(recipe("compose.yml"), machines),
};

const root = resolve(docs, "..");
/** The commands of the README and the docs, by their page. */
const pages = Map.groupBy(runnable(linesOf(root)), (line) => line.page);

/** Keys below which recipes of whatever service keep commands. */
const commandKeys = new Set(["run", "script", "before_script", "after_script", "args"]);

/** Every command of a recipe, wherever it stands: what only looks like one is named too, rather than passed over. */
function commandsBelow(part: unknown, within = false): readonly string[] {
  if (typeof part === "string") return within || /\bhallmark (run|merge)\b/.test(part) ? [part] : [];
  if (typeof part !== "object" || part === null) return [];
  // Words of one command, which the entry point of an image takes.
  if (Array.isArray(part) && part[0] === "run") return [part.join(" ")];
  return Object.entries(part).flatMap(([key, inner]) => commandsBelow(inner, within || commandKeys.has(key)));
}

/** Commands of all recipes that were not run, with their file. */
function findUnrun(ran: ReadonlySet<string>): readonly string[] {
  const shown = commandsIn(readFileSync(page, "utf8")).filter((text) => text.includes("hallmark "));
  const recipes = globSync(join(docs, "ci", "*.yml")).map((file) => {
    const documents = parseAllDocuments(readFileSync(file, "utf8")).map((document) => document.toJS() as unknown);
    return [file, documents.flatMap((document) => commandsBelow(document))] as const;
  });
  return [[page, shown] as const, ...recipes].flatMap(([file, commands]) =>
    commands.filter((text) => !ran.has(text)).map((text) => `${basename(file)}: ${text}`),
  );
}

function pageRuns(baseUrl: string): typeof runs {
  const runOf = ([page, lines]: readonly [string, Parameters<typeof runPage>[0]]) =>
    [`commands of ${page}`, (machines: Machines) => runPage(lines, baseUrl, machines)] as const;
  return Object.fromEntries([...pages].map(runOf));
}

/** Runs every recipe. Throws an Error where one does not do what it says. */
async function checkRecipes(): Promise<number> {
  const { file, close } = await startEmbedded(judgedServices);
  const { alpha, beta } = file;
  const [alphaKey = "", betaKey = ""] = [alpha?.apiKeys?.all, beta?.backendKeys?.all];
  // What a user would write: one key of each service, taken from the environment.
  const target = {
    name: "recipes",
    alpha: { ...alpha, secondWorkspace: undefined, apiKeys: { all: "${ALPHA_KEY}" } },
    beta: {
      ...beta,
      secondTenant: undefined,
      mcpTokens: undefined,
      idpTokens: undefined,
      backendKeys: { all: "${BETA_KEY}" },
    },
  };
  const machines = createMachines(stringify(target), { ALPHA_KEY: alphaKey, BETA_KEY: betaKey });
  try {
    const all = { ...runs, ...pageRuns(alpha?.baseUrl ?? "") };
    for (const [name, run] of Object.entries(all).filter(([name]) => name.includes(chosen))) {
      try {
        await run(machines, `${alpha?.baseUrl} ${alpha?.testBaseUrl}`);
      } catch (error) {
        throw new Error(`${name} does not do what it says: ${(error as Error).message}`, { cause: error });
      }
    }
    const unrun = chosen === "" ? findUnrun(machines.ran) : [];
    if (unrun.length > 0) throw new Error(`Recipes have commands that nothing runs here:\n${unrun.join("\n")}`);
    for (const written of machines.folders.flatMap(filesBelow)) {
      const text = readFileSync(written, "utf8");
      if ([alphaKey, betaKey].some((key) => text.includes(key))) throw new Error(`A credential stands in ${written}.`);
    }
    return machines.ran.size;
  } finally {
    for (const folder of machines.folders) rmSync(folder, { recursive: true, force: true });
    await close();
  }
}

try {
  console.log(`The recipes of docs/ci, and the pages, do what they say: ${await checkRecipes()} commands were run.`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
