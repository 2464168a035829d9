import { stringify } from "yaml";
import { type EmbeddedOptions, startEmbedded } from "../servers/reference/embedded.ts";
import type { AlphaReference, BetaReference } from "../servers/reference/main.ts";
import { UsageError } from "../target/load.ts";
import { exits } from "./exit.ts";
import { output } from "./output.ts";
import { plantedIn } from "./planted.ts";
import { writeText } from "./write-text.ts";

/** Flags of `hallmark serve`. */
export interface ServeFlags {
  readonly port?: number;
  readonly testPort?: number;
  readonly betaPort?: number;
  readonly seed?: number;
  readonly targetFile?: string;
  readonly fault: readonly string[];
  readonly variant?: string;
}

/**
 * No RPC makes login requests, and a run completes some forty: in a sandbox they wait again once a run is over, so that
 * its target file is good for the next. Whoever still works with one asks for one sooner.
 */
const sandboxQuietMs = 2000;

/** What to start for a sandbox that runs can be made against one after the other, at the ports and with the seed of the flags. */
export function sandboxOptions(
  { port, testPort, betaPort, seed }: Omit<ServeFlags, "fault">,
  services: EmbeddedOptions,
): EmbeddedOptions {
  // Of one seed both would draw the same, and what is secret of one would stand in plain sight in the other.
  const seeded = (place: number) => (seed === undefined ? {} : { seed: seed + place });
  const alpha = services["alpha.v1"] && {
    ...services["alpha.v1"],
    ...seeded(0),
    ...(port === undefined ? {} : { port }),
    ...(testPort === undefined ? {} : { testPort }),
  };
  const { decoration } = services["beta.v1"] ?? {};
  const beta = services["beta.v1"] && {
    ...services["beta.v1"],
    decoration: { ...decoration, choices: { completedQuietMs: sandboxQuietMs, ...decoration?.choices } },
    ...seeded(1),
    ...(betaPort === undefined ? {} : { port: betaPort }),
  };
  return { ...(alpha && { "alpha.v1": alpha }), ...(beta && { "beta.v1": beta }) };
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

function inputs(of: Readonly<Record<string, unknown>>): string {
  return Object.entries(of)
    .map(([what, input]) => `${what}: ${JSON.stringify(input)}`)
    .join(", ");
}

function describeAlpha({ baseUrl, testBaseUrl, facts }: AlphaReference): string[] {
  return [
    "alpha.v1",
    `  base URL          ${baseUrl}`,
    `  test base URL     ${testBaseUrl}`,
    `  workspace         ${facts.workspaceId}`,
    `  key, all scopes   ${facts.keys.all.token}`,
    `  second workspace  ${facts.secondWorkspace.workspaceId}`,
    `  its key           ${facts.secondWorkspace.key.token}`,
    `  mini apps         ${facts.miniAppIds.join(", ")}`,
    `  fixture inputs    ${inputs(facts.fixtureInputs)}`,
  ];
}

function describeBeta({ baseUrl, facts }: BetaReference): string[] {
  return [
    "beta.v1",
    `  base URL          ${baseUrl}`,
    `  workspace, app    ${facts.workspaceId}, ${facts.appId}`,
    `  app versions      ${facts.appVersionIds.join(", ")}`,
    `  key, all scopes   ${facts.backendKeys.all.token}`,
    `  second tenant     ${facts.secondTenant.workspaceId}, ${facts.secondTenant.appId}`,
    `  its key           ${facts.secondTenant.backendKey.token}`,
    `  input texts       ${inputs(facts.inputs)}`,
  ];
}

/** Serves the references until interrupted: a sandbox for client authors, a target for trying Hallmark out. */
export async function serve(flags: ServeFlags): Promise<number> {
  const { services, says, target } = await plantedIn(flags.fault, flags.variant);
  const embedded = await startEmbedded(sandboxOptions(flags, services)).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The sandbox cannot listen (${(error as Error).message}); choose another port.`);
  });
  try {
    const { targetFile } = flags;
    if (targetFile !== undefined) {
      writeText("--target-file", targetFile, targetFileText(targetFile, target(embedded.file)));
    }
    const what = flags.variant === undefined ? "fault" : "variant";
    const lines = [
      ...says.map(([id, text]) => `${what} ${id}\n  ${text}`),
      ...(embedded.alpha === undefined ? [] : describeAlpha(embedded.alpha)),
      ...(embedded.beta === undefined ? [] : describeBeta(embedded.beta)),
      ...(targetFile === undefined ? [] : [`Target file: ${targetFile}; judge it with: hallmark run ${targetFile}`]),
      "Everything is held in memory. Interrupt (Ctrl+C) to stop.",
    ];
    output.print(`${lines.join("\n")}\n`);
    await interrupted();
    return exits.held;
  } finally {
    await embedded.close();
  }
}
