import { rpcs } from "../../proto/rpcs.ts";
import type { Target } from "../target/target.ts";
import { createWire } from "../wire/client.ts";
import { CommandFailure, exits } from "./exit.ts";

/** Two reports of one thing read as one. */
function whyOf(message: string): string {
  return message.replace(/^connect /, "");
}

/**
 * Finds out once, before any case, whether the target answers at all. Any HTTP response will do.
 * @throws CommandFailure with exit code 3
 */
export async function preflight(target: Target): Promise<void> {
  const addresses = new Map<string, string>();
  for (const row of rpcs.filter((one) => target.packages.includes(one.package))) {
    const { alpha, beta } = target.settings;
    const own = row.package === "alpha.v1" ? alpha?.baseUrl : beta?.baseUrl;
    const baseUrl = row.fixture ? alpha?.testBaseUrl : own;
    if (baseUrl !== undefined && !addresses.has(baseUrl)) addresses.set(baseUrl, row.path);
  }
  const wire = createWire(target.limits, target.tls);
  try {
    for (const [baseUrl, path] of addresses) {
      const { response, failure } = await wire.send({
        url: baseUrl + path,
        headers: [
          ["content-type", "application/json"],
          ["connect-protocol-version", "1"],
        ],
        body: new TextEncoder().encode("{}"),
      });
      if (response !== undefined) continue;
      const why = failure === undefined ? "no response" : whyOf(failure.message);
      throw new CommandFailure(
        `The target at ${baseUrl} cannot be reached (${why}); start it, or correct the base URL.`,
        exits.unreachable,
      );
    }
  } finally {
    await wire.close();
  }
}
