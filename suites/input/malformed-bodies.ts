import { defineRule } from "../../harness/case/case.ts";
import { type MalformedBody, malformedBodies } from "../../harness/generate/malformed-bodies.ts";
import { sampleOf } from "../../harness/generate/sampling.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { encodeEnvelope } from "../../harness/wire/envelope.ts";
import { judgeRefusals } from "../common/refusals.ts";
import { judgeNoServerError } from "../common/server-error.ts";

const never = "json.request.malformed";
const lenient = "json.request.wrong-type-lenient";

/** Sent to every RPC: each contains the valid request, so that a server that repairs malformed bodies would serve it. */
const coreBodies = new Set([
  "array-body",
  "string-body",
  "truncated-body",
  "text-after-body",
  "empty-body",
  "trailing-comma-body",
]);

export const malformedBody = defineRule({
  id: "input/malformed-body-is-refused",
  says: "a body that is not one JSON object is refused as the client's fault and has no effect",
  clauses: [never, "json.request.malformed-answer", lenient, "*.endpoints.served"],
  rows: () => true,
  async run(context) {
    const { row, setup, random, run } = context;
    const replies = await judgeRefusals(context, (valid) => {
      const bodies = malformedBodies(valid).filter((body) => !(row.stream && body.unaryOnly));
      const isCore = ({ name }: MalformedBody) => coreBodies.has(name);
      const others = sampleOf(
        random,
        bodies.filter((body) => !isCore(body)),
        Math.ceil(run.propertyRuns / 10),
      );
      return [...bodies.filter(isCore), ...others].map(({ name, why, level }) => {
        // Each has its own requestId, or a server could take it for a replay of another.
        const request = { ...valid, ...freshRequestId(row, setup) };
        const body = malformedBodies(request).find((one) => one.name === name)?.body ?? new Uint8Array();
        return {
          because: `${why} (${name})`,
          clause: level === "protocol" ? never : lenient,
          request: {},
          options: { body: row.stream ? encodeEnvelope(0, body) : body },
        };
      });
    });
    judgeNoServerError(context, replies, "json.request.malformed-answer");
  },
});
