import { type PackageName, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import type { Target } from "../target/target.ts";
import { createWire, type Wire } from "../wire/client.ts";
import { type Reply, readUnary } from "../wire/reply.ts";

async function probe(wire: Wire, row: RpcRow, baseUrl: string, path: string): Promise<Reply> {
  const exchange = await wire.send({
    url: baseUrl + path,
    headers: [
      ["content-type", "application/json"],
      ["connect-protocol-version", "1"],
    ],
    body: new TextEncoder().encode("{}"),
  });
  return readUnary(row, {}, exchange);
}

const unknownCodes = new Set(["unimplemented", "not_found"]);

/** True for an answer that says there is no such RPC (CP-U-30). */
function saysUnknown(reply: Reply): boolean {
  return reply.outcome === "refused" && (reply.error.status === 404 || unknownCodes.has(reply.error.code));
}

/**
 * Finds out which packages a base URL serves, where nothing but the URL was given: one whose RPCs are answered as
 * unknown is not meant to be judged. Where none is told from the unknown, all are judged.
 */
export async function discoverPackages(target: Target): Promise<readonly PackageName[]> {
  const wire = createWire(target.limits, target.tls);
  try {
    const served: PackageName[] = [];
    for (const packageName of target.packages) {
      const row = rpcs.find((one) => one.package === packageName && !one.stream && !one.fixture);
      if (row === undefined) continue;
      if (!saysUnknown(await probe(wire, row, target.baseUrlOf(row), row.path))) served.push(packageName);
    }
    return served.length === 0 ? target.packages : served;
  } finally {
    await wire.close();
  }
}
