import { defineRule } from "../../harness/case/case.ts";
import { farAndPrevious } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { otherStatesOf } from "../../harness/setup/setup.ts";
import { judgeInOtherStates } from "../common/other-states.ts";

export const otherStates = defineRule({
  id: "version/not-current-is-refused-in-other-states",
  says: "in every state that permits it a mutation at a version that is not current is refused and changes nothing",
  clauses: ["*.versioning.expected", "*.versioning.reason"],
  rows: (row) => row.expectedVersion !== undefined && otherStatesOf(row).length > 0,
  async run(context) {
    const { row, setup, call } = context;
    await judgeInOtherStates(context, async (subject, state) => {
      const valid = await setup.request(row, subject);
      return farAndPrevious(subject).map((version) => {
        const changes = { [row.expectedVersion?.name ?? ""]: version, ...freshRequestId(row, setup) };
        const send = () => call(row, { ...valid, ...changes }, { baseUrl: setup.baseUrl(row, subject) });
        return {
          send,
          because: `version ${version} of a ${state} ${subject.kind} is not the current ${subject.version}`,
        };
      });
    });
  },
});
