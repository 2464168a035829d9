import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { type ESTree, parseSync, Visitor } from "vite";

/** An import of one file of the project by another. */
export interface Import {
  /** Path from the root. */
  readonly file: string;
  /** `types` is gone once types are stripped; `later` is `import(…)`, which loads when its line is reached. */
  readonly kind: "types" | "runtime" | "later";
}

/** A function with everything inside it. */
export interface FunctionSize {
  readonly name: string;
  readonly lines: number;
}

/** What stands in one source file. */
export interface Module {
  /** Path from the root. */
  readonly file: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly functions: readonly FunctionSize[];
}

const folders = "{proto,harness,suites,reports,.ci}";
const testOrSupport = /\.(?:test|spec|testing|d)\.tsx?$/;
const generated = /(?:^|\/)gen\//;

/** Source files of the project, as sorted paths from its root; tests, what only tests read, and generated code left out. */
export function listSources(root: string): readonly string[] {
  const files = globSync(`${folders}/**/*.{ts,tsx}`, { cwd: root });
  return files.filter((file) => !testOrSupport.test(file) && !generated.test(file)).sort();
}

/** Reads source files by their paths from the root. Throws an Error where one cannot be parsed. */
export function readModules(root: string, files: readonly string[]): readonly Module[] {
  return files.map((file) => readModule(file, readFileSync(join(root, file), "utf8")));
}

/** Reads the text of one source file. Throws an Error where it cannot be parsed. */
export function readModule(file: string, text: string): Module {
  const { program, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  return {
    file,
    lines: countLines(text),
    imports: findImports(file, program),
    functions: findFunctions(text, program),
  };
}

function countLines(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function findImports(file: string, program: ESTree.Program): readonly Import[] {
  const imports: Import[] = [];
  const add = (specifier: string, kind: Import["kind"]) => {
    if (specifier.startsWith(".")) imports.push({ file: normalize(join(dirname(file), specifier)), kind });
  };
  // `import {}` and `import "…"` name nothing and load the file all the same.
  const kindOf = (parts: readonly (string | undefined)[]) =>
    parts.length > 0 && parts.every((part) => part === "type") ? "types" : "runtime";
  new Visitor({
    ImportDeclaration({ source, importKind, specifiers }) {
      const parts = specifiers.map((part) => ("importKind" in part ? part.importKind : undefined));
      add(source.value, importKind === "type" ? "types" : kindOf(parts));
    },
    ExportNamedDeclaration({ source, exportKind, specifiers }) {
      if (source === null) return;
      add(source.value, exportKind === "type" ? "types" : kindOf(specifiers.map((part) => part.exportKind)));
    },
    ExportAllDeclaration({ source, exportKind }) {
      add(source.value, exportKind === "type" ? "types" : "runtime");
    },
    ImportExpression({ source }) {
      if (source.type === "Literal" && typeof source.value === "string") add(source.value, "later");
    },
    TSImportType({ source }) {
      add(source.value, "types");
    },
  }).visit(program);
  return imports;
}

/** Functions with a body, each under the name it is declared, assigned or kept by. */
function findFunctions(text: string, program: ESTree.Program): readonly FunctionSize[] {
  const functions: FunctionSize[] = [];
  const names = new Map<unknown, string>();
  const nameBy = (key: ESTree.Node, value: ESTree.Node | null) => {
    if (key.type === "Identifier" && value !== null) names.set(value, key.name);
  };
  const add = (node: ESTree.Function | ESTree.ArrowFunctionExpression) => {
    const name = node.id?.name ?? names.get(node) ?? `at line ${countLines(text.slice(0, node.start))}`;
    functions.push({ name, lines: countLines(text.slice(node.start, node.end)) });
  };
  new Visitor({
    VariableDeclarator: ({ id, init }) => nameBy(id, init),
    Property: ({ key, value }) => nameBy(key, value),
    PropertyDefinition: ({ key, value }) => nameBy(key, value),
    MethodDefinition: ({ key, value }) => nameBy(key, value),
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  }).visit(program);
  return functions;
}
