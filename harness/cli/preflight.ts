import type { PackageName } from "../../proto/rpcs.ts";
import type { Target } from "../target/target.ts";
import { CommandFailure, exits } from "./exit.ts";
import { createProber, type Prober } from "./probe.ts";

/** Two reports of one thing read as one. */
function whyOf(message: string): string {
  return message.replace(/^connect /, "");
}

/** Every base URL of a target, with a package that is served there. */
function addressesOf({ packages, settings }: Target): ReadonlyMap<string, PackageName> {
  const { alpha, beta } = settings;
  const addresses = new Map<string, PackageName>();
  for (const name of packages) {
    const urls = name === "alpha.v1" ? [alpha?.baseUrl, alpha?.testBaseUrl] : [beta?.baseUrl];
    for (const url of urls) if (url !== undefined) addresses.set(url, name);
  }
  return addresses;
}

/**
 * Finds out once, before any case, whether the target answers at all. Any HTTP response will do.
 * @throws CommandFailure with exit code 3
 */
export async function preflight(target: Target, prober: Prober): Promise<void> {
  // At once: of a target that is mute, each is waited for as long as a reply may take.
  const asked = [...addressesOf(target)].map(
    async ([baseUrl, name]) => [baseUrl, await prober.ask(name, baseUrl)] as const,
  );
  for (const [baseUrl, exchange] of await Promise.all(asked)) {
    if (exchange === undefined || exchange.response !== undefined) continue;
    const why = exchange.failure === undefined ? "no response" : whyOf(exchange.failure.message);
    throw new CommandFailure(
      exchange.failure?.kind === "reset"
        ? `What listens at ${baseUrl} closed the connection without a response (${why}); see its log, or correct the base URL.`
        : `The target at ${baseUrl} cannot be reached (${why}); start it, or correct the base URL.`,
      exits.unreachable,
    );
  }
}

/** As `preflight`, with a prober of its own. */
export async function checkReachable(target: Target): Promise<void> {
  const prober = createProber(target, {});
  try {
    await preflight(target, prober);
  } finally {
    await prober.close();
  }
}
