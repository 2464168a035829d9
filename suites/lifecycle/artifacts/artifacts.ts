import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { askDownload, fetchDownload } from "../../../harness/setup/alpha/download.ts";
import { describeAnswer, wentThrough } from "../../../harness/setup/alpha/transfer.ts";
import {
  artifactIn,
  complete,
  type Declared,
  declared,
  declaredFields,
  declareUpload,
  isAvailable,
  send,
  stored,
  untilAvailable,
  uploaded,
  uploadedAs,
} from "../../../harness/setup/alpha/upload.ts";
import { secondsOf, uploadLimits } from "../../../harness/setup/alpha/upload-limits.ts";
import { callAsItIsNow } from "../../../harness/setup/as-it-is-now.ts";
import { mayHaveLapsed } from "../../../harness/setup/good-until.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import type { Exchange } from "../../../harness/wire/exchange.ts";
import { instantOf, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { second } from "../../../harness/wire/nanoseconds.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { judgeExpiry } from "./url-expiry.ts";

const listArtifacts = rpc("alpha.v1.ArtifactService/ListArtifacts");

/** Units that a store may keep retentions and expiries in, in seconds: whole minutes of what is short, hours of what is not. */
export const unitOf = (seconds: number) => (seconds < 3600 ? 60n : 3600n);

/** The latest time an artifact may expire at: retention in seconds, whole or not, and the instant that ends it, rounded up; a minute is for clocks. */
export function latestExpiry(start: bigint, seconds: number, expiresAt: bigint): bigint {
  const unit = unitOf(seconds);
  const retained = ((BigInt(Math.ceil(seconds)) + unit - 1n) / unit) * unit;
  const isWhole = expiresAt % (unit * second) === 0n;
  return start + (retained + (isWhole ? unit : 60n)) * second;
}

/** How often an upload is declared anew whose address had lapsed before it was answered: it may be good for a moment only. */
const maxUploads = 4;

/** Declares an upload and sends it while its address is good. */
async function sendInTime(context: CaseContext): Promise<{ readonly upload: Declared; readonly sent: Exchange }> {
  for (let left = maxUploads; ; left -= 1) {
    const upload = await declared(context, randomContent(context));
    const sent = await send(context, upload);
    const isGood = !mayHaveLapsed(upload.reply, sent.startedAt + sent.durationMs);
    if (wentThrough(sent) || isGood || left === 1) return { upload, sent };
  }
}

/** How many uploads are sent one after the other: what the first one names, a later one may leave out. */
const uploadsInTurn = 3;

/** Sends a new upload, and judges that it is taken with the headers that its declaration requires. */
async function judgeUpload(context: CaseContext): Promise<void> {
  const { judge } = context;
  const { upload, sent } = await sendInTime(context);
  const { reply, artifact } = upload;
  const state = textAt(artifact.record, "state");
  judge(reply, "*.artifacts.available").satisfies(
    !isAvailable(artifact.record),
    "an artifact that awaits its upload",
    state,
    "artifact.state",
  );
  await judgeExpiry(context, reply);
  judge(reply).satisfies(wentThrough(sent), "uploadUrl accepts the upload", describeAnswer(sent), "uploadUrl");
}

export const uploads = defineCase({
  id: "lifecycle/upload-with-the-required-headers-is-accepted",
  says: "each of several uploads to uploadUrl with exactly the required headers is accepted; the artifact is not available before",
  clauses: ["alpha.artifacts.required-headers", "alpha.artifacts.available", "alpha.artifacts.urls-expire-later"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactUpload",
  async run(context) {
    // Smoke has few requests.
    const count = context.run.depth === "smoke" ? 1 : uploadsInTurn;
    for (let turn = 0; turn < count; turn += 1) await judgeUpload(context);
  },
});

export const completion = defineCase({
  id: "lifecycle/completed-upload-is-available",
  says: "a completed upload becomes available under the declared name, type, size and digest",
  clauses: ["alpha.artifacts.available", "alpha.artifacts.digest", "alpha.records.echo"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const { judge, needs, target } = context;
    const upload = await uploaded(context, randomContent(context));
    const completed = await complete(context, upload.artifact);
    needs(completed);
    const available = await untilAvailable(context, upload.artifact, target.settings.patience.settleMs);
    judge(completed).satisfies(available !== undefined, "an artifact that becomes available", "it did not");
    for (const reply of available === undefined ? [] : [completed, available]) {
      const record = recordIn(reply);
      for (const [field, sent] of Object.entries(declaredFields(upload))) {
        const clause = field === "sha256Hex" ? "*.artifacts.digest" : "*.records.echo";
        const shown = record[field];
        judge(reply, clause).satisfies(
          sameJson(shown, sent),
          `${showJson(sent)}, as declared`,
          showJson(shown),
          `artifact.${field}`,
        );
      }
    }
  },
});

export const pendingDownload = defineCase({
  id: "lifecycle/pending-artifact-is-not-downloadable",
  says: "an artifact whose upload was not completed cannot be downloaded",
  clauses: ["alpha.artifacts.available"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    const { setup, judge, needs } = context;
    const upload = await declared(context, randomContent(context));
    const early = await askDownload(context, upload.artifact);
    const [sent, late] = [await send(context, upload), await askDownload(context, upload.artifact)];
    // Which state follows which is not shown: one that is shown as available once its bytes have come is not pending any more.
    const isPending = late.outcome !== "served" || !isAvailable(recordIn(await setup.read(upload.artifact)));
    for (const reply of isPending ? [early, late] : [early]) {
      const fetched = reply.outcome === "served" ? await fetchDownload(context, reply) : undefined;
      judge(reply).satisfies(
        fetched === undefined || !wentThrough(fetched),
        "no download before completion",
        fetched === undefined ? describeReply(reply) : describeAnswer(fetched),
      );
    }
    // The positive control: the same artifact once it is available.
    if (!wentThrough(sent)) return;
    needs(await complete(context, upload.artifact));
    const patience = context.target.settings.patience.settleMs;
    if ((await untilAvailable(context, upload.artifact, patience)) === undefined) return;
    judge(await askDownload(context, upload.artifact), "*.endpoints.served").isServed();
  },
});

export const deletedDownload = defineCase({
  id: "lifecycle/deleted-artifact-is-not-downloadable",
  says: "a deleted artifact cannot be downloaded",
  clauses: ["alpha.deletion.effective", "alpha.open.url-life", "alpha.open.listed-artifacts"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    const { setup, call, judge, needs, observe, target } = context;
    const { artifact } = await stored(context, randomContent(context));
    const before = await askDownload(context, artifact);
    needs(before);
    needs(
      await callAsItIsNow(context, artifact, ({ id, version }) =>
        call("alpha.v1.ArtifactService/DeleteArtifact", {
          requestId: setup.requestId(),
          ...setup.tenant(),
          artifactId: id,
          expectedResourceVersion: version,
        }),
      ),
    );
    let last: Reply | undefined;
    const refused = await context.poll(async () => {
      last = await askDownload(context, artifact);
      if (last.outcome === "refused") return last;
      return last.outcome === "served" && !wentThrough(await fetchDownload(context, last)) ? last : undefined;
    }, target.settings.patience.settleMs);
    if (last !== undefined) {
      judge(last).satisfies(refused !== undefined, "no download of a deleted artifact", describeReply(last));
    }
    const outlives = wentThrough(await fetchDownload(context, before));
    observe("*.open.url-life", `a download URL ${outlives ? "outlives" : "ends with"} its artifact`);
    const { records } = await listAll(context, listArtifacts, setup.tenant());
    const listed = findRecord(records, listArtifacts, artifact.id);
    const form = listed === undefined ? "not listed" : `listed as ${textAt(listed, "state") || "of no state"}`;
    observe("*.open.listed-artifacts", `an artifact that is deleted is ${form}`);
  },
});

/** Declares an upload with a retention and completes it. Undefined where the target refuses that retention. */
async function storedFor(context: CaseContext, retention: string): Promise<Declared | undefined> {
  const content = randomContent(context);
  const upload = await uploadedAs(context, async () => {
    const reply = await declareUpload(context, content, { requestedRetention: retention });
    return reply.outcome === "refused" ? undefined : { reply, artifact: artifactIn(reply), content };
  });
  if (upload === undefined) return undefined;
  context.needs(await complete(context, upload.artifact));
  const available = await untilAvailable(context, upload.artifact, context.target.settings.patience.settleMs);
  return available === undefined ? undefined : { ...upload, artifact: artifactIn(available) };
}

/** Retentions to ask for, in seconds: of minutes and hours, or parts of what uploads may ask for at most. */
async function retentionsToAsk(context: CaseContext): Promise<readonly number[]> {
  const usual = [600, 3600, 5400];
  const { maxRetention } = await uploadLimits(context);
  const max = maxRetention === undefined ? Number.POSITIVE_INFINITY : Math.floor(secondsOf(maxRetention));
  return usual.every((seconds) => seconds <= max) ? usual : [...new Set([max, max / 2, max / 3].map(Math.ceil))];
}

export const retention = defineCase({
  id: "lifecycle/artifact-expires-within-its-retention",
  says: "an artifact expires no later than its requested retention",
  clauses: ["alpha.artifacts.retention"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactUpload",
  async run(context) {
    const { judge, observe } = context;
    await Promise.all(
      (await retentionsToAsk(context)).map(async (seconds) => {
        const upload = await storedFor(context, `${seconds}s`);
        if (upload === undefined) {
          observe("*.open.constraints", `a retention of ${seconds} s is refused`);
          return;
        }
        const { record } = upload.artifact;
        const expiresAt = instantOf(record.expiresAt);
        // Whether it counts from the upload or from the completion is open.
        const start = instantOf(record.updatedAt) ?? instantOf(record.createdAt);
        if (expiresAt === undefined || start === undefined) {
          observe("*.open.constraints", "an artifact does not say when it expires");
          return;
        }
        const latest = latestExpiry(start, seconds, expiresAt);
        judge(upload.reply).satisfies(
          expiresAt <= latest,
          `no later than ${seconds} s after it was created`,
          `created ${showJson(record.createdAt)}, expires ${showJson(record.expiresAt)}`,
          "artifact.expiresAt",
        );
      }),
    );
  },
});
