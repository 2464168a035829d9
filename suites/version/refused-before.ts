import { defineRule } from "../../harness/case/case.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { numericVersion } from "../../harness/setup/integer.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isRefusedForState, mayBeRefusedForState } from "../../harness/wire/reply.ts";
import { isChangeable } from "../../proto/resources.ts";
import { conditional } from "./expected.ts";

/** A step of versions that are counted at all: others may lead anywhere. */
const farthest = 1_000_000n;

const unforeseen = "how far versions step is not known before";

export const refusedBefore = defineRule({
  id: "version/version-refused-before-is-taken-once-it-is-current",
  says: "a version that was refused before the record was at it is taken once it is the current one",
  clauses: ["*.versioning.carried", "*.versioning.expected"],
  rows: (row) => conditional(row) && isChangeable(row),
  async run(context) {
    const { row, setup, call, judge } = context;
    const first = await setup.fresh(row.subject);
    const second = await setup.change(first);
    if (second === undefined) throw new Error(`nothing changes a ${row.subject}`);
    const [from, to] = [first, second].map(numericVersion) as [bigint, bigint];
    // How far versions step is open: as far as they did before, as a rule. Some go up and down.
    const step = to - from;
    if (step <= 0n || step > farthest) throw new ChosenOtherwise(unforeseen);
    const next = { ...second, version: String(to + step) };
    const early = await call(row, await setup.request(row, next), { baseUrl: first.baseUrl });
    judge(early, "*.versioning.expected").isRefused({ because: `version ${next.version} is not current yet` });
    if (early.outcome === "served") return;
    // What others do may move it as well.
    const third = await orUndefined(setup.change(second));
    if (third?.version !== next.version) throw new ChosenOtherwise(unforeseen);
    const reply = await call(row, await setup.request(row, third), { baseUrl: first.baseUrl });
    // Which states permit a deletion is open.
    if (isRefusedForState(reply))
      throw new ChosenOtherwise(`${row.method} is refused for the state of a ${row.subject}`);
    if (reply.outcome === "refused") {
      if ((await setup.current(third))?.version !== third.version) throw new ChosenOtherwise(unforeseen);
      // One that nobody asked for before, changed as often: a refusal may give no reason.
      const changed = await setup.change(await setup.fresh(row.subject));
      const like = changed && (await setup.change(changed));
      if (like !== undefined && mayBeRefusedForState(await call(row, await setup.request(row, like))))
        throw new ChosenOtherwise(`${row.method} is refused for a ${row.subject} like it`);
    }
    judge(reply, undefined, [early]).isServed();
  },
});
