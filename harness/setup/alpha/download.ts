import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import type { Exchange } from "../../wire/exchange.ts";
import { textAt } from "../../wire/json.ts";
import type { Reply } from "../../wire/reply.ts";
import { mayHaveLapsed } from "../good-until.ts";
import { transfer, wentThrough } from "./transfer.ts";

const createDownload = rpc("alpha.v1.ArtifactService/CreateArtifactDownload");

/** Calls CreateArtifactDownload. */
export async function askDownload({ call, setup }: CaseContext, artifact: Subject): Promise<Reply> {
  return call(createDownload, await setup.request(createDownload, artifact));
}

/** How often a download is asked for at most until its address is fetched in time. */
const maxDownloads = 3;

/** A download that was asked for, and what its address answered. */
export interface Downloaded {
  readonly reply: Reply;
  readonly fetched: Exchange;
}

/**
 * Fetches what a CreateArtifactDownload reply gives the address of, and where that came too late, what the next one does.
 * Throws Unproven where it gives none, or none that lives until it is fetched.
 */
export async function downloadInTime(context: CaseContext, artifact: Subject, first: Reply): Promise<Downloaded> {
  let reply = first;
  for (let left = maxDownloads; ; left -= 1) {
    const fetched = await fetchDownload(context, reply);
    // How long an address is good is open, and a request may have to wait for its turn.
    const at = fetched.startedAt + fetched.durationMs;
    // The last one is taken for good where its own times say that it is.
    const isGood = left === 1 ? !mayHaveLapsed(reply, at, 0) : !mayHaveLapsed(reply, at);
    if (wentThrough(fetched) || isGood) return { reply, fetched };
    if (left === 1) throw new Unproven("needs a downloadUrl that is good until it is fetched", reply);
    reply = await askDownload(context, artifact);
  }
}

/** Asks for a download of an artifact, and fetches it in time. Throws Unproven where it is not given. */
export async function download(context: CaseContext, artifact: Subject): Promise<Downloaded> {
  return downloadInTime(context, artifact, await askDownload(context, artifact));
}

/** Fetches what a CreateArtifactDownload reply gives the address of. Throws Unproven where it gives none. */
export async function fetchDownload(context: CaseContext, reply: Reply): Promise<Exchange> {
  const { authorization } = context.target.alpha.upload;
  return transfer(context, {
    url: textAt(context.needs(reply), "downloadUrl"),
    givenBy: createDownload.name,
    method: "GET",
    headers: [["accept-encoding", "identity"]],
    ...(authorization ? { as: await context.setup.credential(createDownload) } : {}),
  });
}
