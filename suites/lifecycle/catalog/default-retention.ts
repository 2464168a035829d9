import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { artifactIn, complete, send, untilAvailable } from "../../../harness/setup/alpha/upload.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { instantOf, showJson } from "../../../harness/wire/json.ts";
import { second } from "../../../harness/wire/nanoseconds.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { latestExpiry, unitOf } from "../artifacts/artifacts.ts";
import { type Bounds, fieldsOf, publishedBounds } from "./published-bounds.ts";

/** Judges when an artifact expires whose retention was not asked for. */
function judgeDefault({ judge, observe }: CaseContext, declared: Reply, available: Reply, own: Bounds): void {
  const { expiresAt, createdAt, updatedAt } = recordIn(available);
  const [until, from, changed] = [instantOf(expiresAt), instantOf(createdAt), instantOf(updatedAt ?? createdAt)];
  if (until === undefined || from === undefined || changed === undefined) {
    observe("*.open.constraints", "an artifact does not say when it expires");
    return;
  }
  // Whether it counts from the upload or from the completion is open, and whole minutes or hours may be kept.
  const earliest = from + (BigInt(Math.floor(own.defaultRetention)) - unitOf(own.defaultRetention)) * second;
  judge(declared, undefined, [available]).satisfies(
    until >= earliest && until <= latestExpiry(changed, own.defaultRetention, until),
    `an expiry after ${own.defaultRetention} s, the defaultRetention of ${own.miniAppId}`,
    `created ${showJson(createdAt)}, expires ${showJson(expiresAt)}`,
    "artifact.expiresAt",
  );
}

/** Uploads what no retention is asked for, and judges when it expires. `needed` says what is to be thought of a refusal. */
async function judgeUpload(context: CaseContext, own: Bounds, changes: JsonObject, needed: "needed" | "optional") {
  const { setup, call, needs, target } = context;
  const content = randomContent(context);
  const { requestedRetention: _, ...request } = await setup.request(context.row, undefined, {
    name: setup.name("artifact"),
    ...content.declared,
    ...changes,
  });
  const reply = await call(context.row, request);
  if (reply.outcome !== "served" && needed === "optional") return;
  if (reply.outcome === "refused") throw new ChosenOtherwise("the target wants a retention to be asked for");
  needs(reply);
  const upload = { reply, artifact: artifactIn(reply), content };
  await send(context, upload);
  const completed = await complete(context, upload.artifact);
  if (completed.outcome !== "served" && needed === "optional") return;
  needs(completed);
  const available = await untilAvailable(context, upload.artifact, target.settings.patience.settleMs);
  if (available !== undefined) judgeDefault(context, reply, available, own);
}

export const retention = defineCase({
  id: "lifecycle/default-retention-is-kept",
  says: "an artifact whose retention was not asked for expires as its mini app's default says",
  clauses: ["alpha.catalog.default-retention"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactUpload",
  async run(context) {
    const { target } = context;
    const all = await publishedBounds(context);
    const own = all.find(({ miniAppId }) => miniAppId === target.alpha.miniAppIds[0]);
    if (own === undefined || own.defaultRetention === 0)
      throw new ChosenOtherwise("the first mini app publishes no default retention");
    await judgeUpload(context, own, {}, "needed");
    const other = all.find(({ defaultRetention: one }) => one > 0 && one !== own.defaultRetention);
    // Whether another mini app takes uploads at all is its own.
    if (other === undefined) return;
    const { miniAppId = "", mimeType = "" } = fieldsOf(context, other);
    await judgeUpload(context, other, { miniAppId, mimeType }, "optional");
  },
});
