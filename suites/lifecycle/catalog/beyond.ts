import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Content } from "../../../harness/setup/alpha/content.ts";
import {
  artifactIn,
  complete,
  declareUpload,
  isAvailable,
  send,
  untilAvailable,
} from "../../../harness/setup/alpha/upload.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { instantOf, showJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { latestExpiry } from "../artifacts/artifacts.ts";
import type { Bounds } from "./published-bounds.ts";

/** Judges that an upload beyond a bound comes to nothing, wherever it is refused: as it is declared, sent or completed. */
export async function judgeBeyond(
  context: CaseContext,
  content: Content,
  fields: JsonObject,
  bound: string,
): Promise<void> {
  const { judge, observe, target } = context;
  const reply = await declareUpload(context, content, fields);
  if (reply.outcome !== "served") {
    observe("*.open.constraints", `an upload beyond ${bound} is refused as it is declared`);
    judge(reply).satisfies(reply.outcome === "refused", "a refusal, or an upload", reply.outcome);
    return;
  }
  const upload = { reply, artifact: artifactIn(reply), content };
  await send(context, upload);
  const completed = await complete(context, upload.artifact);
  const patience = completed.outcome === "served" ? target.settings.patience.quietMs : 0;
  const available = await untilAvailable(context, upload.artifact, patience);
  const isStored = available !== undefined || isAvailable(recordIn(completed));
  judge(reply, undefined, [completed]).satisfies(!isStored, `no artifact that is beyond ${bound}`, "it is available");
  if (!isStored) observe("*.open.constraints", `an upload beyond ${bound} is refused after it was declared`);
}

/**
 * Judges that an upload for longer than its mini app keeps artifacts was refused, or its retention cut down. False where it was served
 * and does not say when it expires.
 */
export function judgeCutDown({ judge }: CaseContext, reply: Reply, { miniAppId, maxRetention }: Bounds): boolean {
  const { expiresAt, createdAt } = recordIn(reply);
  const [until, from] = [instantOf(expiresAt), instantOf(createdAt)];
  const isSaid = until !== undefined && from !== undefined;
  if (reply.outcome === "served" && !isSaid) return false;
  judge(reply).satisfies(
    !isSaid || until <= latestExpiry(from, maxRetention, until),
    `a refusal, or an expiry within ${maxRetention} s, the maximumRetention of ${miniAppId}`,
    `created ${showJson(createdAt)}, expires ${showJson(expiresAt)}`,
    "artifact.expiresAt",
  );
  return true;
}
