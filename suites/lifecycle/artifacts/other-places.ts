import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import { type Content, randomContent } from "../../../harness/setup/alpha/content.ts";
import { complete, declared, send, stored } from "../../../harness/setup/alpha/upload.ts";
import { ChosenOtherwise, NotExercised } from "../../../harness/target/target.ts";
import { fieldsOf, publishedBounds } from "../catalog/published-bounds.ts";
import { judgeOwnContent } from "./same-names.ts";
import { judgeUnavailable, withOtherEnd } from "./unverified.ts";

/** Where content is stored: a workspace, and what its declaration names beside the usual. */
interface Place {
  readonly where: CaseContext;
  readonly content: () => Content;
}

/** Mini apps beside the first, at most: each takes two uploads. */
const maxMiniApps = 2;

/** The other workspace, and the run's own for other mini apps than the first. */
async function placesOf(context: CaseContext): Promise<readonly Place[]> {
  const places: Place[] = [];
  let missing: NotExercised | undefined;
  try {
    const elsewhere = context.setup.elsewhere();
    places.push({ where: elsewhere, content: () => randomContent(elsewhere) });
  } catch (error) {
    if (!(error instanceof NotExercised)) throw error;
    missing = error;
  }
  const [, ...others] = (await orUndefined(publishedBounds(context))) ?? [];
  for (const bounds of others.slice(0, maxMiniApps)) {
    const content = (): Content => {
      const { bytes, declared } = randomContent(context);
      return { bytes, declared: { ...declared, ...fieldsOf(context, bounds) } };
    };
    places.push({ where: context, content });
  }
  if (places.length === 0 && missing !== undefined) throw missing;
  return places;
}

/** Two artifacts with content of their own; undefined where none are taken there. */
const storeTwo = ({ where, content }: Place) =>
  orUndefined(Promise.all([content(), content()].map((one) => stored(where, one))));

export const otherPlaces = defineCase({
  id: "lifecycle/artifacts-keep-their-content-in-every-workspace-and-mini-app",
  says: "of two artifacts of the other workspace, or of another mini app than the first, each is downloaded with its own content",
  clauses: ["alpha.artifacts.bytes"],
  rpc: "alpha.v1.ArtifactService/CreateArtifactDownload",
  async run(context) {
    let isAsked = false;
    for (const place of await placesOf(context)) {
      for (const { artifact, content } of (await storeTwo(place)) ?? []) {
        isAsked = true;
        await judgeOwnContent(place.where, artifact, content);
      }
    }
    if (!isAsked) throw new ChosenOtherwise("no other workspace, and no other mini app, takes uploads");
  },
});

/** Judges wrong content where content is taken. Returns false where none is. */
async function judgeWrong({ where, content }: Place): Promise<boolean> {
  // The positive control: the declared content is accepted there.
  if ((await orUndefined(stored(where, content()))) === undefined) return false;
  const upload = await declared(where, content());
  await send(where, upload, withOtherEnd(upload.content.bytes));
  await judgeUnavailable(where, upload, await complete(where, upload.artifact), "the last byte differs");
  return true;
}

export const wrongElsewhere = defineCase({
  id: "lifecycle/wrong-content-is-available-in-no-workspace-and-mini-app",
  says: "content of the other workspace, or of another mini app than the first, never becomes available where its last byte is another than was declared",
  clauses: ["alpha.artifacts.wrong-content"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    let isAsked = false;
    for (const place of await placesOf(context)) isAsked = (await judgeWrong(place)) || isAsked;
    if (!isAsked) throw new ChosenOtherwise("no other workspace, and no other mini app, takes uploads");
  },
});
