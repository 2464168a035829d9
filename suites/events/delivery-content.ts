import { createHmac } from "node:crypto";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { findSecretsInRequest } from "../../harness/secrets/canaries.ts";
import { type JobScript, requireJobsCanceled, startJob } from "../../harness/setup/alpha/job.ts";
import { deliveryOf } from "../../harness/setup/delivery-record.ts";
import { redeliver } from "../../harness/setup/redeliverable.ts";
import { deleteMade } from "../../harness/setup/undo.ts";
import { requestsOf, untilDelivered } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { callOnEndpoint, createEndpoint, enable, updateEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { checkDeliveries, openHook, pollForDelivery } from "../../harness/setup/webhook-hook.ts";
import { settle } from "../../harness/setup/work.ts";
import { NotExercised } from "../../harness/target/target.ts";
import type { Delivered, Hook } from "../../harness/webhooks/receiver.ts";
import { headersIn } from "../../harness/wire/exchange.ts";
import { textAt } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
import { readJson } from "../../harness/wire/strict-json.ts";
import { Change, Effect } from "../../proto/rpcs.ts";
import { cancelJob } from "../common/cancel-job.ts";
import { clauseOf } from "../secrecy/canaries.ts";

/** Judges that no delivery a hook received holds a secret. */
function judgeLeaks({ judge, run }: CaseContext, hook: Hook, reply: Reply): void {
  if (hook.delivered.length === 0) throw new Unproven("needs deliveries to look for secrets in");
  const leaks = hook.delivered.flatMap((request) =>
    findSecretsInRequest({ ...request, url: request.target, headers: headersIn(request.headers) }, run.secrets),
  );
  judge(reply, "*.webhooks.secret-elsewhere").satisfies(
    leaks.every(({ kind }) => kind !== "signing secret"),
    "no signing secret in a delivery",
    `a delivery holds it in its ${leaks.find(({ kind }) => kind === "signing secret")?.where}`,
  );
  for (const { kind, label, where } of leaks) {
    if (kind === "signing secret") continue;
    judge(reply, clauseOf(kind, reply.row.package)).satisfies(
      false,
      "no secret in a delivery",
      `a delivery holds ${label} in its ${where}`,
    );
  }
}

/** True where a request carries a Standard Webhooks signature made with this signing secret. */
function verifies(request: Delivered, secret: string): boolean {
  const id = request.headers["webhook-id"] ?? "";
  const time = request.headers["webhook-timestamp"] ?? "";
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signed = Buffer.concat([Buffer.from(`${id}.${time}.`), request.body]);
  const signature = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  return (request.headers["webhook-signature"] ?? "").split(" ").includes(signature);
}

/** Records the form of a delivery: the contract leaves it open, and users will want to know. */
function observeForm({ observe }: CaseContext, request: Delivered, secrets: readonly string[]): void {
  const clause = "*.open.webhook-form";
  observe(clause, `a delivery is a ${request.method} of ${request.headers["content-type"] ?? "no declared type"}`);
  const signing = Object.keys(request.headers).filter((name) => /signature|hmac|^webhook-|digest/.test(name));
  observe(clause, signing.length === 0 ? "no header looks like a signature" : `headers ${signing.sort().join(", ")}`);
  if (request.headers["webhook-signature"] !== undefined) {
    const valid = secrets.filter((secret) => verifies(request, secret)).length;
    observe(clause, `Standard Webhooks signatures, ${valid} of ${secrets.length} secrets verify`);
  }
  const body = readJson(request.body);
  if (!body.ok || !isObject(body.value)) observe(clause, "the body is no JSON object");
  else {
    observe(clause, `the body holds ${Object.keys(body.value).sort().join(", ")}`);
    if (typeof body.value.type === "string") observe(clause, `the body has type ${body.value.type}`);
  }
}

/** A job that has ended, a slow one as it was canceled, and was given a secret; undefined where that cannot be had, which is for other cases to say. */
async function endedWithSecret(context: CaseContext, script: JobScript): Promise<Subject | undefined> {
  try {
    const secret = await context.setup.shared("secret");
    if (script === "slow") await requireJobsCanceled(context);
    const job = await startJob(context, script, { secretIds: [secret.id] });
    if (script === "slow") await cancelJob(context, job);
    return await settle(context, job);
  } catch (error) {
    if (error instanceof Unproven || error instanceof NotExercised) return undefined;
    throw error;
  }
}

/** Work that has just finished; of alpha.v1 jobs, of which one failed and one was canceled, that were given a secret: their deliveries may tell of it. */
async function finishedWithSecret(context: CaseContext): Promise<readonly [Subject, ...Subject[]]> {
  if (context.row.package !== "alpha.v1") return [await finishedWork(context)];
  await checkDeliveries(context);
  const scripts = ["succeed", "fail", "slow"] as const;
  const [done, ...others] = await Promise.all(scripts.map((script) => endedWithSecret(context, script)));
  return [done ?? (await finishedWork(context)), ...others.filter((one) => one !== undefined)];
}

/** Has what was delivered of some work sent again, where the target does that, and waits for it: it may tell more than before. */
async function sendAgain(context: CaseContext, hook: Hook, endpoint: Subject, work: Subject): Promise<void> {
  const found = await deliveryOf(context, endpoint, work);
  if (found === undefined) return;
  const before = hook.delivered.length;
  const reply = await redeliver(context, { endpoint, record: found.record });
  if (reply.outcome !== "served") return;
  await pollForDelivery(context, async () => (hook.delivered.length > before ? true : undefined));
}

/**
 * Has what was delivered sent again once its endpoint is disabled, and once it is deleted. Whether that is refused is not
 * shown: the invariants look for secrets in what is answered.
 */
async function sendToSilenced(context: CaseContext, endpoint: Subject, work: Subject): Promise<void> {
  const again = async () => {
    const found = await deliveryOf(context, endpoint, work);
    if (found !== undefined) await redeliver(context, { endpoint, record: found.record });
  };
  const found = await deliveryOf(context, endpoint, work);
  if (found === undefined) return;
  const off = await updateEndpoint(context, endpoint, { enabled: false });
  if (off.outcome === "served") await again();
  const now = await context.setup.current(endpoint);
  if (now === undefined || (await deleteMade(context, now)) !== undefined) return;
  // Whether deliveries of what was deleted are listed is not shown.
  await redeliver(context, { endpoint, record: found.record });
}

export const secrecy = defineRule({
  id: "events/deliveries-hold-no-secret",
  says: "no delivery, nor one that is sent again, holds a signing secret or another secret, in its body or its headers",
  clauses: ["*.webhooks.secret-elsewhere", "*.webhooks.signing-secret"],
  rows: ({ subject, effect }) => subject === "webhook_endpoint" && effect === Effect.CREATE,
  async run(context) {
    const { judge } = context;
    const hook = await openHook(context);
    const { reply, endpoint: made, secret } = await createEndpoint(context, hook.url);
    const endpoint = await enable(context, made);
    judge(reply, "*.webhooks.signing-secret").satisfies(secret !== "", "a signing secret", "none", "signingSecret");
    const [work, ...others] = await finishedWithSecret(context);
    await Promise.all([work, ...others].map((one) => untilDelivered(context, hook, endpoint, one)));
    await sendAgain(context, hook, endpoint, work);
    judgeLeaks(context, hook, reply);
    for (const request of requestsOf(context, hook, work).slice(0, 1)) observeForm(context, request, [secret]);
    await sendToSilenced(context, endpoint, work);
  },
});

export const rotation = defineRule({
  id: "events/secret-rotation-does-not-stop-deliveries",
  says: "an endpoint keeps receiving deliveries after its secret was rotated, and no delivery holds either secret",
  clauses: ["*.webhooks.delivered", "*.webhooks.secret-elsewhere"],
  rows: ({ subject, change }) => subject === "webhook_endpoint" && change === Change.ROTATES,
  async run(context) {
    const { run, judge, needs } = context;
    const hook = await openHook(context);
    const { endpoint: made, secret } = await createEndpoint(context, hook.url);
    const endpoint = await enable(context, made);
    const rotated = await callOnEndpoint(context, endpoint);
    const next = textAt(needs(rotated), "signingSecret");
    run.secrets.register(next, "a signing secret", "signing secret");
    const work = await finishedWork(context);
    const arrived = await untilDelivered(context, hook, endpoint, work);
    judge(rotated).satisfies(arrived, "deliveries after the rotation", "none came");
    if (!arrived) return;
    judgeLeaks(context, hook, rotated);
    for (const request of requestsOf(context, hook, work).slice(0, 1)) observeForm(context, request, [next, secret]);
  },
});
