import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { startEmbedded } from "../../servers/reference/embedded.ts";
import { referenceFolder } from "./instrument.ts";

/** What the mutation tool's code reads and writes: one for each graph of modules. */
export interface Switch {
  /** Id of the mutant that is switched on. */
  activeMutant?: string | undefined;
  /** Cases count what they execute under their own name. */
  currentTestId?: string | undefined;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
  /** How often the mutant was executed; past the limit it throws, so that no loop is without end. */
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
}

/** Modules of the reference with every mutant in them, loaded once more under a name of their own. */
export interface Graph {
  readonly name: string;
  readonly switch: Switch;
  readonly start: typeof startEmbedded;
}

const parameter = "mutants";
const root = pathToFileURL(referenceFolder + sep).href;

/** The graph a module is of; undefined for modules as they are. */
function graphOf(url: string | undefined): string | undefined {
  if (url === undefined || !url.startsWith(root)) return undefined;
  return new URL(url).searchParams.get(parameter) ?? undefined;
}

/** The graph whose code stands in a stack of calls; undefined where none does. */
export function graphInStack(stack: string): string | undefined {
  return new RegExp(`[?]${parameter}=(\\w+)`).exec(stack)?.[1];
}

const globals = globalThis as unknown as Record<string, Switch | undefined>;
const globalOf = (name: string) => `__stryker_${name}__`;

/**
 * Lets this thread load the reference from instrumented sources, as often as it is asked to: whatever a module of a
 * graph imports of the reference is of that graph too, all else is shared. Call it once in a thread.
 */
export function createGraphLoader(sources: Readonly<Record<string, string>>): (name: string) => Promise<Graph> {
  const stripped = new Map<string, string>();
  const read = (file: string): string | undefined => {
    const source = sources[file];
    if (source === undefined) return undefined;
    const code = stripped.get(file) ?? stripTypeScriptTypes(source);
    stripped.set(file, code);
    return code;
  };
  const fileOf = (url: string) =>
    fileURLToPath(new URL(url))
      .slice(referenceFolder.length + 1)
      .replaceAll(sep, "/");
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const graph = graphOf(context.parentURL);
      if (graph === undefined || !resolved.url.startsWith(root)) return resolved;
      return { ...resolved, url: `${resolved.url}?${parameter}=${graph}` };
    },
    load(url, context, next) {
      const graph = graphOf(url);
      const code = graph === undefined ? undefined : read(fileOf(url));
      if (graph === undefined || code === undefined) return next(url, context);
      const source = code.replaceAll("__stryker__", globalOf(graph));
      return { format: "module", source, shortCircuit: true };
    },
  });
  return (name) => loadGraph(name);
}

/** Opens the switch of a graph, before its modules are loaded. */
export function openSwitch(name: string): Switch {
  const made: Switch = {};
  globals[globalOf(name)] = made;
  return made;
}

/** Forgets the switch of a graph; its modules stay in memory until the thread ends. */
export function closeSwitch(name: string): void {
  delete globals[globalOf(name)];
}

async function loadGraph(name: string): Promise<Graph> {
  const made = globals[globalOf(name)] ?? openSwitch(name);
  const entry = pathToFileURL(join(referenceFolder, "embedded.ts")).href;
  const module = (await import(`${entry}?${parameter}=${name}`)) as { startEmbedded: typeof startEmbedded };
  return { name, switch: made, start: module.startEmbedded };
}
