import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { wentThrough } from "../../../harness/setup/alpha/transfer.ts";
import { complete, declared, send, stored } from "../../../harness/setup/alpha/upload.ts";
import { type UploadLimits, uploadLimits } from "../../../harness/setup/alpha/upload-limits.ts";
import { sleep } from "../../../harness/wire/sleep.ts";
import { judgeUnavailable, withOtherEnd } from "./unverified.ts";

/** Letters that a long name has beside those of a usual one: how many there may be is not shown. */
const moreLetters = [60, 180];

/** How long an upload waits before it is completed, in milliseconds. */
const lateMs = 2500;

/** A way to declare an upload, to send it or to complete it, that who skips a check may tell from the usual one. */
interface Way {
  readonly what: string;
  /** Fields of its declaration that differ, anew for each. */
  readonly changes: () => JsonObject;
  readonly afterMs?: number;
  /** In how many pieces it is sent, without its length. */
  readonly pieces?: number;
}

const waysOf = ({ setup, random }: CaseContext, { maxRetention }: UploadLimits): readonly Way[] => [
  ...moreLetters.map((more) => ({
    what: `its name has ${more} letters more than others`,
    changes: () => ({ name: `${setup.name("artifact")}-${random.token(more)}` }),
  })),
  { what: "no retention is asked for", changes: () => ({ requestedRetention: null }) },
  ...(maxRetention === undefined
    ? []
    : [{ what: "the longest retention is asked for", changes: () => ({ requestedRetention: maxRetention }) }]),
  { what: "it is sent in pieces, without its length", changes: () => ({}), pieces: 3 },
  { what: "it is completed seconds after it was declared", changes: () => ({}), afterMs: lateMs },
];

/** Whether the declared content is taken in some way: the positive control. */
async function isTaken(context: CaseContext, { changes, pieces }: Way): Promise<boolean> {
  const content = randomContent(context);
  if (pieces === undefined) return (await orUndefined(stored(context, content, changes()))) !== undefined;
  const upload = await declared(context, content, changes());
  // Whether an address takes what does not say its length is not shown.
  if (!wentThrough(await send(context, upload, content.bytes, pieces))) return false;
  return (await complete(context, upload.artifact)).outcome === "served";
}

/** Judges wrong content of an upload that is declared in some way. Nothing is said where a right one is not taken so. */
async function judgeWay(context: CaseContext, way: Way): Promise<void> {
  const { what, changes, afterMs = 0, pieces } = way;
  if (!(await isTaken(context, way))) return;
  const upload = await declared(context, randomContent(context), changes());
  await send(context, upload, withOtherEnd(upload.content.bytes), pieces);
  await sleep(afterMs, context.signal);
  await judgeUnavailable(
    context,
    upload,
    await complete(context, upload.artifact),
    `the last byte differs, and ${what}`,
  );
}

export const otherwiseDeclared = defineCase({
  id: "lifecycle/wrong-content-is-not-available-however-it-is-declared",
  says: "wrong content is not available under a long name, nor where no retention or the longest was asked for, nor where it is sent in pieces, nor where it is completed seconds later",
  clauses: ["alpha.artifacts.wrong-content"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  waits: true,
  async run(context) {
    // The positive control of all: the declared content is accepted.
    await stored(context, randomContent(context));
    const ways = waysOf(context, await uploadLimits(context));
    await Promise.all(ways.map((way) => judgeWay(context, way)));
  },
});
