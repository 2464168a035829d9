import { readFileSync } from "node:fs";
import { join } from "node:path";
import { targetJsonSchema } from "../../harness/target/schema.ts";
import { buildApp } from "../../reports/html/build.ts";
import { resultsSchema } from "../../reports/schema.ts";
import { generateProtobuf } from "./buf.ts";
import { root, run } from "./tool.ts";

/** Something whose text is made from sources and committed, so that nobody waits for it. */
export interface Generator {
  readonly name: string;
  /** Glob of the files it makes. */
  readonly files: string;
  /** Path from the root → text. Throws an Error of one sentence where the sources are wrong. */
  make(): ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>;
}

const findersFile = "harness/runner/finders.gen.ts";

/**
 * Everything that is generated, in this order. What reads `proto/gen` comes after it and imports it in `make`: before,
 * it would read what stood there last time.
 */
export const generators: readonly Generator[] = [
  { name: "code of the protobuf files", files: "proto/gen/**", make: generateProtobuf },
  {
    name: "contract written out",
    files: "docs/contract/**",
    async make() {
      const { contractPages } = await import("../../proto/clauses/pages/pages.ts");
      return new Map(Object.entries(contractPages()));
    },
  },
  schemaAt("reports/results.schema.json", "JSON Schema of results", resultsSchema),
  schemaAt("docs/target.schema.json", "JSON Schema of the target file", targetJsonSchema),
  {
    name: "cases that are put first",
    files: findersFile,
    async make() {
      const { findersOf } = await import("../../harness/proof/finders.ts");
      const { loadCases } = await import("../../suites/cases.ts");
      const { foundBy } = JSON.parse(readFileSync(join(root, "docs/proof.json"), "utf8"));
      const ids = JSON.stringify(findersOf(foundBy, await loadCases()));
      const says =
        "Cases that found most faults on each RPC they are put to, the best first: made from docs/proof.json.";
      const text = `/** ${says} */\nexport const finders: readonly string[] = ${ids};\n`;
      return new Map([[findersFile, format(findersFile, text)]]);
    },
  },
  {
    name: "bundled app of the HTML report",
    files: "reports/html/gen/**",
    async make() {
      const { script, style } = await buildApp();
      return new Map([
        ["reports/html/gen/app.js", script],
        ["reports/html/gen/app.css", style],
      ]);
    },
  },
];

function schemaAt(file: string, name: string, schema: () => unknown): Generator {
  // In the form that the linter demands of every JSON file.
  const make = () => new Map([[file, format(file, JSON.stringify(schema(), undefined, 2))]]);
  return { name, files: file, make };
}

function format(file: string, text: string): string {
  return run("biome", ["format", `--stdin-file-path=${file}`], `${file} cannot be formatted.`, text);
}
