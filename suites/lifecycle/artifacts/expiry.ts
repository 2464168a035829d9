import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { askDownload, downloadInTime, fetchDownload } from "../../../harness/setup/alpha/download.ts";
import { describeAnswer, holdsBytes, wentThrough } from "../../../harness/setup/alpha/transfer.ts";
import { artifactIn, type Declared, declared, isAvailable, send, stored } from "../../../harness/setup/alpha/upload.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import type { Exchange } from "../../../harness/wire/exchange.ts";
import { instantOf, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { inMilliseconds, second } from "../../../harness/wire/nanoseconds.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { sleep } from "../../../harness/wire/sleep.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { secondsByRecord, shortLived } from "./short-lived.ts";
import { issuedAt, judgeExpiry, madeAt } from "./url-expiry.ts";

const listArtifacts = rpc("alpha.v1.ArtifactService/ListArtifacts");

/** What is to end later than this, in seconds, is not waited for. */
const maxWaitSeconds = 6;

/** Seconds from one instant to another. */
const secondsBetween = (from: bigint, to: bigint): number => inMilliseconds(to - from) / 1000;

/** Seconds from a reply to an instant it shows; undefined where it shows none. */
function secondsUntil(reply: Reply, instant: bigint | undefined): number | undefined {
  return instant === undefined ? undefined : secondsBetween(madeAt(reply), instant);
}

/** The states that a listing of artifacts shows of one that is pending and of one that has expired. */
async function observeListed(context: CaseContext, expired: Subject): Promise<void> {
  const { setup, observe } = context;
  const { artifact: pending } = await declared(context, randomContent(context));
  const { records } = await listAll(context, listArtifacts, setup.tenant());
  for (const [state, { id }] of [
    ["pending", pending],
    ["expired", expired],
  ] as const) {
    const found = findRecord(records, listArtifacts, id) !== undefined;
    observe("*.open.listed-artifacts", `an artifact that is ${state} is ${found ? "listed" : "not listed"}`);
  }
}

/** Reads an available artifact, and downloads it, until it is about to expire; judges that it stays available. */
async function judgeKept(context: CaseContext, artifact: Subject, expiresAt: bigint, left: number): Promise<void> {
  const { setup, judge, signal } = context;
  const end = performance.now() + left * 1000;
  for (;;) {
    const read = await setup.read(artifact);
    const leftByServer = secondsUntil(read, expiresAt) ?? 0;
    const leftByUs = (end - performance.now()) / 1000;
    // The server's Date tells whole seconds, and a busy one may tell those of a while ago; clocks differ.
    if (Math.min(leftByServer, leftByUs) < 1) return;
    judge(read, "*.artifacts.kept").satisfies(
      isAvailable(recordIn(read)),
      `an artifact that is available until ${showJson(recordIn(read).expiresAt)}`,
      read.outcome === "served" ? showJson(recordIn(read).state) : describeReply(read),
      "artifact.state",
    );
    await sleep(200, signal);
  }
}

/** Judges that an artifact which lasts has its content once another one of the same bytes has expired. */
async function judgeTwin(context: CaseContext, twin: Declared | undefined, expired: Subject): Promise<void> {
  if (twin === undefined || sameJson(twin.artifact.id, expired.id)) return;
  const read = await context.setup.read(twin.artifact);
  const left = secondsUntil(read, instantOf(recordIn(read).expiresAt));
  // What is stored once may last as long as what was stored first.
  if (!isAvailable(recordIn(read)) || (left !== undefined && left < maxWaitSeconds)) return;
  const asked = await askDownload(context, twin.artifact);
  if (asked.outcome === "broken") context.needs(asked);
  const last = asked.outcome === "served" ? await downloadInTime(context, twin.artifact, asked) : undefined;
  context
    .judge(last?.reply ?? asked, "*.artifacts.bytes")
    .satisfies(
      last !== undefined && holdsBytes(last.fetched, twin.content.bytes),
      "the content of an artifact that lasts, where another one of the same bytes has expired",
      last === undefined ? describeReply(asked) : describeAnswer(last.fetched),
    );
}

/** Judges that what has expired, as far as its own workspace is shown it, is not shown to another one. */
async function judgeHidden({ row, setup, call, judge }: CaseContext, expired: Subject, shown: Reply): Promise<void> {
  const other = await orUndefined(setup.otherTenant(row));
  if (other === undefined || other.sharesKey || shown.outcome !== "served") return;
  const reply = await call(row, { ...(await setup.request(row, expired)), ...other.tenant }, { as: other.key });
  judge(reply, "alpha.isolation.read", [shown]).isRefused({ because: "it names an artifact of another workspace" });
}

export const expiry = defineCase({
  id: "lifecycle/artifact-is-available-until-it-expires",
  says: "an available artifact stays so until the time it expires at, and is not downloadable, or shown to another workspace, afterwards; one of the same bytes that lasts is downloadable",
  waits: true,
  clauses: [
    "alpha.artifacts.kept",
    "alpha.artifacts.expired",
    "alpha.artifacts.retention",
    "alpha.artifacts.bytes",
    "alpha.isolation.read",
    "alpha.open.listed-artifacts",
  ],
  rpc: "alpha.v1.ArtifactService/GetArtifact",
  async run(context) {
    const { setup, judge, poll, target, signal, observe, needs } = context;
    const content = randomContent(context);
    const made = await shortLived(context, content);
    const lasting = made?.read ?? (await setup.read(await setup.shared("artifact")));
    needs(lasting);
    const artifact = artifactIn(lasting);
    const expiresAt = instantOf(artifact.record.expiresAt);
    const left = secondsUntil(lasting, expiresAt);
    judge(lasting).satisfies(
      isAvailable(artifact.record),
      "an artifact that is available until it expires",
      showJson(artifact.record.state),
      "artifact.state",
    );
    if (expiresAt === undefined || left === undefined || left > maxWaitSeconds) {
      observe("*.open.constraints", "artifacts live longer than a run waits");
      return;
    }
    const known = made === undefined ? left : Math.min(left, secondsByRecord(made, expiresAt));
    const [twin] = await Promise.all([
      made === undefined ? undefined : orUndefined(stored(context, content)),
      judgeKept(context, artifact, expiresAt, known),
    ]);
    const early = await askDownload(context, artifact);
    let last = early;
    const isOver = async () => {
      const read = await setup.read(artifact);
      if (madeAt(read) < expiresAt + second) return undefined;
      last = read;
      if (!isAvailable(recordIn(read))) return true;
      const reply = await askDownload(context, artifact);
      return reply.outcome === "refused" || !wentThrough(await fetchDownload(context, reply)) ? true : undefined;
    };
    await sleep(Math.max(0, (left + 1) * 1000 - 1000), signal);
    const ended = await poll(isOver, target.settings.patience.settleMs);
    judge(last, "*.artifacts.expired").satisfies(
      ended === true,
      `no artifact that is available after ${showJson(artifact.record.expiresAt)}`,
      last.outcome === "served" ? showJson(recordIn(last).state) : describeReply(last),
      "artifact.state",
    );
    // Where it is shown in another state, its content might still be given.
    const late = await askDownload(context, artifact);
    const isGiven = late.outcome === "served" && wentThrough(await fetchDownload(context, late));
    judge(late, "*.artifacts.expired", [last]).satisfies(
      ended !== true || !isGiven,
      "no download of an artifact that has expired",
      "a download whose content comes",
    );
    observe("*.open.transitions", `an artifact that has expired is ${textAt(recordIn(last), "state") || last.outcome}`);
    await judgeHidden(context, artifact, last);
    await judgeTwin(context, twin, artifact);
    await observeListed(context, artifact);
  },
});

/**
 * Waits until the address that a reply gives has expired, and judges that it is not good for long after that.
 *
 * @param use uses the address once more
 */
async function judgeLapse(
  context: CaseContext,
  reply: Reply,
  use: () => Promise<Exchange>,
  { what, at }: { readonly what: "upload" | "download"; readonly at: string },
): Promise<void> {
  const { judge, observe, poll, signal, target } = context;
  const ends = reply.outcome === "served" ? instantOf(reply.json.expiresAt) : undefined;
  const left = ends === undefined ? undefined : secondsBetween(await issuedAt(context, reply, ends), ends);
  if (left === undefined || left > maxWaitSeconds) {
    observe("*.open.url-life", `${what === "upload" ? "an upload" : "a download"} URL lives longer than a run waits`);
    return;
  }
  await sleep(Math.max(0, left * 1000), signal);
  let used = await use();
  const refused = await poll(async () => {
    if (!wentThrough(used)) return true;
    used = await use();
    return undefined;
  }, target.settings.patience.quietMs * 10);
  judge(reply, "*.artifacts.urls-lapse").satisfies(
    refused === true,
    `no ${what} at an address that has expired`,
    describeAnswer(used),
    at,
  );
}

export const lapsed = defineCase({
  id: "lifecycle/issued-urls-end-with-their-time",
  says: "an upload URL that has expired takes no content",
  clauses: ["alpha.artifacts.urls-expire-later", "alpha.artifacts.urls-lapse"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactUpload",
  async run(context) {
    const upload = await declared(context, randomContent(context));
    await judgeExpiry(context, upload.reply);
    await judgeLapse(context, upload.reply, () => send(context, upload), { what: "upload", at: "uploadUrl" });
  },
});

export const lapsedDownload = defineCase({
  id: "lifecycle/issued-download-urls-end-with-their-time",
  says: "a download URL that has expired gives no content",
  waits: true,
  clauses: ["alpha.artifacts.urls-expire-later", "alpha.artifacts.urls-lapse"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    const reply = await askDownload(context, await context.setup.shared("artifact"));
    context.needs(reply);
    await judgeExpiry(context, reply);
    await judgeLapse(context, reply, () => fetchDownload(context, reply), { what: "download", at: "downloadUrl" });
  },
});
