import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { farAndPrevious } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { settledDelivery } from "../../harness/setup/webhook-delivery.ts";
import { ChosenOtherwise, NotExercised } from "../../harness/target/target.ts";
import { Effect } from "../../proto/rpcs.ts";
import { judgeWrongCalls, type WrongCall } from "../common/other-states.ts";

/** Calls of the RPC under test for an endpoint at versions that are not current. */
async function notCurrent({ row, setup, call }: CaseContext, subject: Subject): Promise<readonly WrongCall[]> {
  const valid = await setup.request(row, subject);
  const baseUrl = setup.baseUrl(row, subject);
  return farAndPrevious(subject).map((version) => {
    const changes = { [row.expectedVersion?.name ?? ""]: version, ...freshRequestId(row, setup) };
    const because = `version ${version} of an endpoint that has had a delivery is not the current ${subject.version}`;
    return { send: () => call(row, { ...valid, ...changes }, { baseUrl }), because };
  });
}

/** A call of the RPC under test for an endpoint by a key without its scope; none where the target file has no such key. */
async function withoutScope({ row, setup, call }: CaseContext, subject: Subject): Promise<readonly WrongCall[]> {
  try {
    const as = await setup.keyWithoutScope(row);
    const request = await setup.request(row, subject);
    const send = () => call(row, request, { as, baseUrl: setup.baseUrl(row, subject) });
    return [{ send, because: `its key lacks ${row.scope}, whatever was delivered`, clause: "*.auth.scope" }];
  } catch (error) {
    if (error instanceof NotExercised) return [];
    throw error;
  }
}

/** How often it is asked anew where the right call is refused: the version may have moved before. */
const maxAttempts = 3;

export const onceDelivered = defineRule({
  id: "version/not-current-is-refused-once-an-endpoint-has-had-a-delivery",
  says: "once something was delivered to an endpoint, too, a mutation of it at a version that is not current, or without the scope, is refused",
  clauses: ["*.versioning.expected", "*.auth.scope", "*.versioning.reason"],
  aboutDeliveries: true,
  rows: (row) => row.expectedVersion !== undefined && row.subject === "webhook_endpoint",
  async run(context) {
    const { row, setup } = context;
    const delivered = await settledDelivery(context);
    const ready = row.effect === Effect.DELETE ? await setup.deletable(delivered.endpoint) : delivered.endpoint;
    // What else ends meanwhile is delivered, too, and an attempt may count as a change of its endpoint.
    const endpoint = { ...ready, changesOnlyByMutation: false };
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const isAsked = await judgeWrongCalls(context, endpoint, async (subject) => [
        ...(await notCurrent(context, subject)),
        ...(await withoutScope(context, subject)),
      ]);
      if (isAsked) return;
    }
    throw new ChosenOtherwise(
      `${row.method} is refused once an endpoint has had a delivery, or its version moves on and on`,
    );
  },
});
