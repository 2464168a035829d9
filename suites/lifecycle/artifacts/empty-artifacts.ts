import { defineCase } from "../../../harness/case/case.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import { contentOf, randomContent } from "../../../harness/setup/alpha/content.ts";
import { stored } from "../../../harness/setup/alpha/upload.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { showJson } from "../../../harness/wire/json.ts";
import { listedInTime } from "../records/consistency.ts";

export const emptyArtifacts = defineCase({
  id: "lifecycle/artifact-of-no-bytes-is-listed",
  says: "an artifact of no bytes, where it is taken, is listed as others are, with its size in the form that sizes have",
  // Of its form the invariants judge every reply.
  clauses: ["alpha.paging.traversal", "alpha.wire.int64"],
  rpc: "alpha.v1.ArtifactService/ListArtifacts",
  async run(context) {
    const { row, setup, judge } = context;
    const usual = await stored(context, randomContent(context));
    const empty = await orUndefined(stored(context, contentOf(context, new Uint8Array())));
    if (empty === undefined) throw new ChosenOtherwise("an artifact of no bytes is refused");
    const beside = await listedInTime(context, row, usual.artifact);
    if (beside === undefined) throw new ChosenOtherwise("available artifacts are not listed");
    const shown = await listedInTime(context, row, empty.artifact);
    const read = await setup.read(empty.artifact);
    judge(beside.reply, undefined, [read]).satisfies(
      shown !== undefined,
      `${showJson(recordIn(read))}, as an artifact of some bytes`,
      "it is on no page",
      row.list?.name,
    );
  },
});
