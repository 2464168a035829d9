import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { malformedBodies } from "../../harness/generate/malformed-bodies.ts";
import { dealt } from "../../harness/generate/strata.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { judgeRefusals } from "../common/refusals.ts";
import { requestBody } from "../common/request-body.ts";
import { judgeNoServerError } from "../common/server-error.ts";

const never = "json.request.malformed";
const lenient = "json.request.wrong-type-lenient";

/** Sent to every RPC; of the others each to some, so that all are sent in every run. Each of these contains the valid request, so that a server that repairs malformed bodies would serve it. */
const coreBodies = new Set([
  "array-body",
  "string-body",
  "truncated-body",
  "text-after-body",
  "empty-body",
  "trailing-comma-body",
]);

const allBodies = malformedBodies({ workspaceId: {} }).map(({ name }) => name);
const otherBodies = new Set(allBodies.filter((name) => !coreBodies.has(name)));

/** Names of the bodies that a row is sent: the same in a replay. */
function dueTo({ row, run }: CaseContext): ReadonlySet<string> {
  const { peers } = row;
  const some = Math.ceil((peers.length * run.propertyRuns) / 10 / otherBodies.size);
  const copies = run.depth === "deep" ? Infinity : some;
  const holders = new Map(peers.map((peer) => [peer, otherBodies]));
  return new Set([...coreBodies, ...dealt(run.draws.derive("malformed bodies"), holders, row, copies)]);
}

export const malformedBody = defineRule({
  id: "input/malformed-body-is-refused",
  says: "a body that is not one JSON object is refused as the client's fault and has no effect",
  clauses: [never, "json.request.malformed-answer", lenient, "*.endpoints.served"],
  rows: () => true,
  smoke: rowsNamed("alpha.v1.CatalogService/GetMiniApp"),
  async run(context) {
    const { row, setup } = context;
    const replies = await judgeRefusals(
      context,
      (valid) => {
        const due = dueTo(context);
        const bodies = malformedBodies(valid).filter((body) => !(row.stream && body.unaryOnly) && due.has(body.name));
        return bodies.map(({ name, why, level }) => {
          // Each has its own requestId, or a server could take it for a replay of another.
          const request = { ...valid, ...freshRequestId(row, setup) };
          const body = malformedBodies(request).find((one) => one.name === name)?.body ?? new Uint8Array();
          return {
            because: `${why} (${name})`,
            clause: level === "protocol" ? never : lenient,
            request: {},
            options: { body: requestBody(row, body) },
          };
        });
      },
      { oddForm: true },
    );
    judgeNoServerError(context, replies, "json.request.malformed-answer");
  },
});
