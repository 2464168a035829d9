import { defineRule } from "../../harness/case/case.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { otherStatesOf } from "../../harness/setup/setup.ts";
import { judgeInOtherStates } from "../common/other-states.ts";

export const otherStates = defineRule({
  id: "version/not-current-is-refused-in-other-states",
  says: "in every state that permits it a mutation at a version that is not current is refused and changes nothing",
  clauses: ["*.versioning.expected"],
  rows: (row) => row.expectedVersion !== undefined && otherStatesOf(row).length > 0,
  async run(context) {
    const { row, setup, call } = context;
    await judgeInOtherStates(context, async (subject, state) => {
      const version = String(farFrom(numericVersion(subject)));
      const request = { ...(await setup.request(row, subject)), [row.expectedVersion?.name ?? ""]: version };
      const reply = await call(row, request, { baseUrl: setup.baseUrl(row, subject) });
      const because = `version ${version} of a ${state} ${subject.kind} is not the current ${subject.version}`;
      return { reply, because };
    });
  },
});
