import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { isSignedBy } from "../../harness/oracles/signature.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { redeliver } from "../../harness/setup/redeliverable.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { idsOf, mentions } from "../../harness/setup/webhook-arrival.ts";
import { callOnEndpoint, updateEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import type { Delivered } from "../../harness/webhooks/receiver.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Change } from "../../proto/rpcs.ts";
import { createSigned, type Next, nextDelivery, type Signed } from "./signed-endpoint.ts";

/** Sends a delivery again; undefined where that is refused, or where nothing comes of it, which other cases judge. */
async function sentAgain(context: CaseContext, { hook, endpoint }: Signed, { work, record }: Next) {
  if (record === undefined) return undefined;
  const before = hook.delivered.length;
  const reply = await redeliver(context, { endpoint, record });
  if (reply.outcome !== "served") return undefined;
  const ids = [textAt(work.id, "value"), ...idsOf(context, record), ...idsOf(context, recordIn(reply))];
  const request = await pollForDelivery(context, async () =>
    hook.delivered.slice(before).find((one) => mentions(one, ids)),
  );
  return request === undefined ? undefined : { reply, request };
}

/** Judges that a request is signed with one of some secrets, in the way that the first one was. */
function judgeSigned(
  { judge }: CaseContext,
  reply: Reply,
  request: Delivered,
  { scheme }: Signed,
  secrets: readonly string[],
  what: string,
): boolean {
  return judge(reply).satisfies(
    secrets.some((secret) => isSignedBy(request, scheme, secret)),
    `${what} is signed with ${secrets.length === 1 ? "the endpoint's secret" : "the new secret or the one before"}, as the first delivery was`,
    "it is signed otherwise",
  );
}

/** Has a rotation refused for its version, and judges that the secret has stayed. */
async function judgeRefusedRotation(context: CaseContext, signed: Signed, secret: string): Promise<void> {
  const { row, setup, call } = context;
  const { hook, endpoint } = signed;
  const current = (await setup.current(endpoint)) ?? endpoint;
  const stale = { ...current, version: String(farFrom(numericVersion(current))) };
  const refused = await call(row, await setup.request(row, stale), { baseUrl: endpoint.baseUrl });
  // That it is refused is for other cases to judge.
  if (refused.outcome !== "refused") return;
  const { request } = await nextDelivery(context, hook, endpoint);
  judgeSigned(context, refused, request, signed, [secret], "a delivery after a rotation that was refused");
}

/** Rotates the secret once more, replays the rotation before, and judges that this has no effect on what signs. */
async function judgeReplayedRotation(
  context: CaseContext,
  signed: Signed,
  first: Reply,
  secrets: readonly [string, string],
) {
  const [oldest, between] = secrets;
  const { hook, endpoint, scheme } = signed;
  const { row, run, call, judge } = context;
  const second = await callOnEndpoint(context, endpoint);
  // Whether a secret is rotated while the one before is in force is not shown.
  if (second.outcome !== "served") return;
  const newest = textAt(second.json, "signingSecret");
  run.secrets.register(newest, "a signing secret", "signing secret");
  const exempt = ["wire/records-show-what-was-stored"];
  const replay = await call(row, first.request, { baseUrl: endpoint.baseUrl, exempt });
  const { request } = await nextDelivery(context, hook, endpoint);
  const [isNewest, isBetween, isOldest] = [newest, between, oldest].map((one) => isSignedBy(request, scheme, one));
  // The replay is of the rotation to the secret in between: that the one before signs alone does not come of it.
  if (isNewest !== true && isBetween !== true && isOldest === true) {
    judge(second, undefined, [first]).satisfies(
      false,
      "deliveries that are signed with the newest secret, or the one before, once it was rotated twice",
      "they are signed with the secret that both rotations replaced",
    );
    return;
  }
  judge(replay, "*.idempotency.one-effect", [first, second]).satisfies(
    isNewest === true,
    "deliveries that are signed with the newest secret, though an earlier rotation was replayed",
    "they are signed otherwise",
  );
}

/** Rotates the secret, and judges that it stays the one in force when the endpoint is updated, or the rotation replayed. */
async function judgeRotation(context: CaseContext, signed: Signed, first: string): Promise<void> {
  const { run, needs, judge } = context;
  const { hook, endpoint, scheme } = signed;
  const rotated = await callOnEndpoint(context, endpoint);
  const next = textAt(needs(rotated), "signingSecret");
  run.secrets.register(next, "a signing secret", "signing secret");
  // Until when the previous secret signs, and whether alone, is not shown.
  const { request } = await nextDelivery(context, hook, endpoint);
  if (!judgeSigned(context, rotated, request, signed, [next, first], "a delivery after a rotation")) return;
  if (!isSignedBy(request, scheme, next)) {
    context.observe("*.open.webhook-form", "after a rotation the previous secret signs alone");
    return;
  }
  const updated = await updateEndpoint(context, endpoint, { url: `${hook.url}?updated` });
  // Whether a url may have a query is not shown.
  if (updated.outcome !== "served") return;
  const { request: later } = await nextDelivery(context, hook, endpoint);
  judge(updated, undefined, [rotated]).satisfies(
    isSignedBy(later, scheme, next),
    "deliveries that go on to be signed with the new secret once the endpoint is updated",
    isSignedBy(later, scheme, first) ? "the secret before signs again, and alone" : "they are signed otherwise",
  );
  if (isSignedBy(later, scheme, next)) await judgeReplayedRotation(context, signed, rotated, [first, next]);
}

export const signatures = defineRule({
  id: "events/deliveries-are-signed-with-a-secret-in-force",
  says: "where the first delivery shows how it is signed, those that are sent again, or come after a rotation, a refused or a replayed one or an update, are signed so with a secret in force",
  clauses: ["*.webhooks.signed", "*.idempotency.one-effect", "*.open.webhook-form"],
  rows: ({ subject, change }) => subject === "webhook_endpoint" && change === Change.ROTATES,
  async run(context) {
    const signed = await createSigned(context);
    const { reply, secret, first, scheme } = signed;
    const again = await sentAgain(context, signed, first);
    if (again !== undefined)
      judgeSigned(context, again.reply, again.request, signed, [secret], "a delivery that is sent again");
    context.observe(
      "*.open.webhook-form",
      `signed with ${scheme.digest} over ${[...scheme.before, "the body"].join(", ")}`,
    );
    await judgeRefusedRotation(context, signed, secret);
    await judgeRotation(context, signed, secret);
    judgeSigned(context, reply, first.request, signed, [secret], "the first delivery");
  },
});
