import { defineCase } from "../../harness/case/case.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { contentOf, randomContent } from "../../harness/setup/alpha/content.ts";
import { complete, stored, uploaded } from "../../harness/setup/alpha/upload.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";

/** More than most servers hold in one piece, in bytes. */
const largeBytes = 70_000;

export const otherContents = defineCase({
  id: "version/completion-of-unusual-content-is-refused-at-another-version",
  says: "an upload of no bytes, of many, and of content that is stored already is completed at the current version only, as any other",
  clauses: ["alpha.versioning.expected"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const { row, setup, call, judge, random } = context;
    const known = randomContent(context);
    await stored(context, known);
    const contents = [
      ["of no bytes", contentOf(context, new Uint8Array())],
      ["of many bytes", contentOf(context, Buffer.from(random.token(largeBytes)))],
      ["of content that is stored already", known],
    ] as const;
    let completed = 0;
    for (const [what, content] of contents) {
      // Which sizes are taken, and whether one content is twice, is not shown.
      const upload = await orUndefined(uploaded(context, content));
      if (upload === undefined) continue;
      const artifact = (await setup.current(upload.artifact)) ?? upload.artifact;
      const version = String(farFrom(numericVersion(artifact)));
      const reply = await call(row, await setup.request(row, { ...artifact, version }));
      const because = `${version} is not the version of an upload ${what}, which is at ${artifact.version}`;
      judge(reply).isRefused({ because });
      if (reply.outcome === "served") return;
      if ((await complete(context, upload.artifact)).outcome === "served") completed += 1;
    }
    if (completed === 0) throw new ChosenOtherwise("no such upload is completed");
  },
});
