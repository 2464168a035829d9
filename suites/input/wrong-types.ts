import { defineRule } from "../../harness/case/case.ts";
import { malformedValues } from "../../harness/generate/malformed-values.ts";
import { sampleOf } from "../../harness/generate/sampling.ts";
import { wrongTypeValues } from "../../harness/generate/wrong-types.ts";
import { fillRequest } from "../../harness/setup/filled-request.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { showJson } from "../../harness/wire/json.ts";
import { judgeRefusals } from "../common/refusals.ts";
import { judgeNoServerError } from "../common/server-error.ts";

const never = "json.request.wrong-type";
const lenient = "json.request.wrong-type-lenient";

/**
 * Every field is sent its right value in the wrong form each time; of the many values that fit no such field, as many are
 * drawn as the run's effort allows.
 */
export const wrongTypes = defineRule({
  id: "input/values-of-the-wrong-type-are-refused",
  says: "a request with a field of another JSON type, or out of its type's range, is refused and has no effect",
  clauses: [never, "json.request.malformed-answer", lenient, "*.endpoints.served"],
  rows: () => true,
  async run(context) {
    const { row, setup, random, run } = context;
    const replies = await judgeRefusals(context, async (valid, subject) => {
      const filled = await fillRequest(setup, row, valid, subject);
      const madeUp = row.input.fields.flatMap(malformedValues);
      const values = [
        ...wrongTypeValues(row.input, filled),
        ...sampleOf(random, madeUp, Math.ceil(run.propertyRuns / 8)),
      ];
      return values.map(({ field, value, why, level }) => {
        const fresh = freshRequestId(row, setup);
        const [name = ""] = field.split(".");
        return {
          because: `${field} is ${showJson(value)}, and ${why}`,
          clause: level === "protocol" ? never : lenient,
          request: {},
          options: { body: JSON.stringify({ ...filled, ...fresh, [name]: value }) },
        };
      });
    });
    judgeNoServerError(context, replies, "json.request.malformed-answer");
  },
});
