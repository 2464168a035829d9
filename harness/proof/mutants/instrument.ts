import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { babel, Instrumenter } from "@stryker-mutator/instrumenter";
import { home, moduleExtension } from "../../package/home.ts";
import { UsageError } from "../../target/load.ts";
import { isChosenAnyway, isLeftOut, reasons, ruleFor } from "./left-out.ts";
import { type Change, keyed, type Mutant } from "./mutant.ts";

/** Where the reference's source lies. */
export const referenceFolder = join(home, "harness", "servers", "reference");

/** The reference's source with every mutant in it, to be switched on at run time. */
export interface MutantBuild {
  /** TypeScript by path below the reference. */
  readonly sources: Readonly<Record<string, string>>;
  /** Every mutant there is, those left out by a rule among them. */
  readonly mutants: readonly Mutant[];
}

type Logger = ConstructorParameters<typeof Instrumenter>[0];

const off = () => false;
const ignore = () => {};
const silent: Logger = {
  ...{ isTraceEnabled: off, isDebugEnabled: off, isInfoEnabled: off },
  ...{ isWarnEnabled: off, isErrorEnabled: off, isFatalEnabled: off },
  ...{ trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore },
};

interface Range {
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

/** A declaration and the lines (from 0) and columns it spans. */
interface Declared extends Range {
  readonly name: string;
}

/** The name a node gives to what stands in it; undefined where it gives none. */
function declaredName({ node }: babel.NodePath): string | undefined {
  if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") return node.id?.name;
  if (node.type === "VariableDeclarator") return node.id.type === "Identifier" ? node.id.name : undefined;
  if (node.type === "ObjectMethod" || node.type === "ClassMethod" || node.type === "ObjectProperty") {
    return node.key.type === "Identifier" ? node.key.name : undefined;
  }
  return undefined;
}

/** Notes the declarations of each file, in the order the tool goes through files, and leaves out what rules leave out. */
function createNotes() {
  const files: Declared[][] = [];
  return {
    files,
    shouldIgnore(path: babel.NodePath): string | undefined {
      if (path.isProgram()) files.push([]);
      const name = declaredName(path);
      const { loc } = path.node;
      if (name !== undefined && loc != null) {
        const start = { line: loc.start.line - 1, column: loc.start.column };
        files.at(-1)?.push({ name, start, end: { line: loc.end.line - 1, column: loc.end.column } });
      }
      return ruleFor(path);
    },
  };
}

function contains(outer: Range, inner: Range): boolean {
  const order = (a: Range["start"], b: Range["start"]) => a.line - b.line || a.column - b.column;
  return order(outer.start, inner.start) <= 0 && order(outer.end, inner.end) >= 0;
}

/** The text of a range. */
function textOf(source: string, { start, end }: Range): string {
  const lines = source.split("\n").slice(start.line, end.line + 1);
  const last = lines.length - 1;
  lines[last] = lines[last]?.slice(0, end.column) ?? "";
  lines[0] = lines[0]?.slice(start.column) ?? "";
  return lines.join("\n");
}

/** Loads the mutation tool, which a clone has and the package has not. */
async function loadInstrumenter(): Promise<typeof Instrumenter> {
  if (moduleExtension !== ".ts") {
    throw new UsageError("--mutants changes the reference's source, which the package has not; use a clone.");
  }
  return (await import("@stryker-mutator/instrumenter")).Instrumenter;
}

/**
 * Writes every mutant of the reference into its source.
 * @throws UsageError in the installed package, which has no source
 */
export async function instrumentReference(): Promise<MutantBuild> {
  const Tool = await loadInstrumenter();
  const files = readdirSync(referenceFolder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !isLeftOut(file))
    .toSorted()
    .map((file) => ({ name: file, mutate: true, content: readFileSync(join(referenceFolder, file), "utf8") }));
  const notes = createNotes();
  const made = await new Tool(silent).instrument(files, { plugins: null, ignorers: [notes], excludedMutations: [] });
  const contents = new Map(files.map(({ name, content }, index) => [name, { content, declared: notes.files[index] }]));
  const changes = made.mutants.map((one): Change => {
    const { content = "", declared = [] } = contents.get(one.fileName) ?? {};
    const original = textOf(content, one.location);
    const leftOut = one.statusReason ?? (isChosenAnyway(original, one.replacement) ? reasons.choice : undefined);
    return {
      id: one.id,
      file: relative(".", one.fileName),
      line: one.location.start.line + 1,
      mutator: one.mutatorName,
      original,
      replacement: one.replacement,
      within: declared.filter((range) => contains(range, one.location)).map(({ name }) => name),
      ...(leftOut !== undefined && { leftOut }),
    };
  });
  return {
    sources: Object.fromEntries(made.files.map(({ name, content }) => [name, content])),
    mutants: keyed(changes),
  };
}
