import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { digestOf } from "../../../harness/oracles/digest.ts";
import type { Content } from "../../../harness/setup/alpha/content.ts";
import { askDownload, fetchDownload } from "../../../harness/setup/alpha/download.ts";
import { wentThrough } from "../../../harness/setup/alpha/transfer.ts";
import { bodyOf } from "../../../harness/wire/exchange.ts";
import { textAt } from "../../../harness/wire/json.ts";

/**
 * True for an artifact that is downloaded with just the declared bytes. Who knows content by its digest needs no upload of it,
 * and has none of another: what is available under the digest is what was declared.
 */
export async function hasDeclaredBytes(
  context: CaseContext,
  artifact: Subject,
  { declared }: Content,
): Promise<boolean> {
  const digest = textAt(declared, "sha256Hex").toLowerCase();
  const reply = await askDownload(context, artifact);
  if (reply.outcome !== "served") return false;
  const fetched = await fetchDownload(context, reply);
  const { response } = fetched;
  return response !== undefined && wentThrough(fetched) && digestOf(bodyOf(response)) === digest;
}
