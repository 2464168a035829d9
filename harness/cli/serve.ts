import { writeFileSync } from "node:fs";
import { stringify } from "yaml";
import { findFault } from "../faults/index.ts";
import { type AlphaDecoration, startAlphaReference } from "../reference/main.ts";
import { alphaTargetFile } from "../reference/target-file.ts";
import { UsageError } from "../target/load.ts";
import { findVariant } from "../variants/index.ts";
import { exits } from "./exit.ts";

/** Flags of `hallmark serve`. */
export interface ServeFlags {
  readonly port?: number;
  readonly testPort?: number;
  readonly seed?: number;
  readonly targetFile?: string;
  readonly fault?: string;
  readonly variant?: string;
}

async function decorationOf({ fault, variant }: ServeFlags): Promise<AlphaDecoration> {
  if (fault !== undefined && variant !== undefined)
    throw new UsageError("--fault and --variant exclude each other; give one.");
  if (fault !== undefined) return (await findFault(fault)).decoration;
  if (variant !== undefined) return (await findVariant(variant)).decoration;
  return {};
}

/** A target file as text: JSON where its name says so, YAML elsewhere. */
function targetFileText(file: string, document: object): string {
  return file.endsWith(".json") ? `${JSON.stringify(document, undefined, 2)}\n` : stringify(document);
}

/** Resolves at the first interrupt. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

/** Serves the reference until interrupted: a sandbox for client authors, a target for trying Hallmark out. */
export async function serve(flags: ServeFlags): Promise<number> {
  const decoration = await decorationOf(flags);
  const { port, testPort, seed } = flags;
  const reference = await startAlphaReference({
    decoration,
    ...(port === undefined ? {} : { port }),
    ...(testPort === undefined ? {} : { testPort }),
    ...(seed === undefined ? {} : { seed }),
  }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The sandbox cannot listen (${error.message}); choose another --port or --test-port.`);
  });
  try {
    const { facts } = reference;
    const document = alphaTargetFile(reference);
    if (flags.targetFile !== undefined) {
      try {
        writeFileSync(flags.targetFile, targetFileText(flags.targetFile, document), { mode: 0o600 });
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new UsageError(`--target-file ${flags.targetFile} cannot be written (${code}); choose another path.`);
      }
    }
    const lines = [
      "alpha.v1",
      `  base URL          ${reference.baseUrl}`,
      `  test base URL     ${reference.testBaseUrl}`,
      `  workspace         ${facts.workspaceId}`,
      `  key, all scopes   ${facts.keys.all.token}`,
      `  second workspace  ${facts.secondWorkspace.workspaceId}`,
      `  its key           ${facts.secondWorkspace.key.token}`,
      `  mini apps         ${facts.miniAppIds.join(", ")}`,
      `  fixture inputs    ${Object.entries(facts.fixtureInputs)
        .map(([what, input]) => `${what}: ${JSON.stringify(input)}`)
        .join(", ")}`,
      ...(flags.targetFile === undefined
        ? []
        : [`Target file: ${flags.targetFile}; judge it with: hallmark run ${flags.targetFile}`]),
      "Everything is held in memory. Interrupt (Ctrl+C) to stop.",
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
    await interrupted();
    return exits.held;
  } finally {
    await reference.close();
  }
}
