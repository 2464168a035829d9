import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import type { Exchange } from "../../wire/exchange.ts";
import { textAt } from "../../wire/json.ts";
import type { Reply } from "../../wire/reply.ts";
import { transfer } from "./transfer.ts";

const createDownload = rpc("alpha.v1.ArtifactService/CreateArtifactDownload");

/** Calls CreateArtifactDownload. */
export async function askDownload({ call, setup }: CaseContext, artifact: Subject): Promise<Reply> {
  return call(createDownload, await setup.request(createDownload, artifact));
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
