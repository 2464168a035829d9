import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case.ts";
import type { CaseContext } from "../../harness/context.ts";
import { quietHook } from "../../harness/given/quiet-hook.ts";
import { recordIn, type Subject, versionOf } from "../../harness/given/subject.ts";
import { instantOf, sameJson, showJson, textAt } from "../../harness/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";

/** Reads the endpoint once it is at a version, or patience ends: a store may be read from a copy that lags. */
async function readAt(context: CaseContext, endpoint: Subject, version: string): Promise<Reply> {
  let last = await context.given.read(endpoint);
  await context.until(async () => {
    if (versionOf(recordIn(last)) === version) return last;
    last = await context.given.read(endpoint);
    return undefined;
  }, context.target.settings.patience.settleMs);
  return last;
}

/** Updates an endpoint, and judges that it is read back as it was set. The endpoint as it is then. */
async function judgeUpdate(context: CaseContext, endpoint: Subject, changes: JsonObject): Promise<Subject> {
  const { given, call, judge, needs } = context;
  const { name = "", url = "", enabled = false } = endpoint.record;
  const fields: JsonObject = { name, url, enabled, ...changes };
  const reply = await call(
    "alpha.v1.WebhookService/UpdateWebhookEndpoint",
    {
      requestId: given.requestId(),
      ...given.tenant(),
      endpointId: endpoint.id,
      expectedResourceVersion: endpoint.version,
      ...fields,
    },
    { baseUrl: endpoint.baseUrl },
  );
  needs(reply);
  const updated = recordIn(reply);
  const read = await readAt(context, endpoint, versionOf(updated));
  const stored = recordIn(read);
  for (const [field, sent] of Object.entries(fields)) {
    // What the update itself showed wrong is found by the rule on every reply; here it is whether it was stored.
    judge(reply, undefined, [read]).satisfies(
      sameJson(stored[field], sent),
      `${field} ${showJson(sent)} read back after it was set`,
      read.outcome === "served" ? showJson(stored[field]) : describeReply(read),
      `endpoint.${field}`,
    );
  }
  return { ...endpoint, record: { ...stored, ...fields }, version: versionOf(updated) };
}

/** Another address than the endpoint had: our receiver's where there is one, so that nobody else is bothered. */
async function anotherHook({ run, target }: CaseContext): Promise<string> {
  if (target.settings.webhooks === undefined) return "https://moved.hallmark.invalid/hook";
  return (await run.receiver()).hook().url;
}

export const update = defineCase({
  id: "lifecycle/endpoint-is-updated-field-by-field",
  says: "an update stores each field it sets, and leaves the others as they were",
  clauses: ["alpha.records.echo"],
  rpc: "alpha.v1.WebhookService/UpdateWebhookEndpoint",
  async run(context) {
    let endpoint = await context.given.fresh("webhook_endpoint");
    const changes: readonly JsonObject[] = [
      { name: context.given.name("renamed") },
      { url: await anotherHook(context) },
      { enabled: false },
      { enabled: true },
    ];
    for (const change of changes) endpoint = await judgeUpdate(context, endpoint, change);
  },
});

export const rotation = defineCase({
  id: "lifecycle/rotation-renews-the-signing-secret",
  says: "a rotation gives a new signing secret, says when the one before expires, and leaves the endpoint as it was",
  clauses: [
    "alpha.webhooks.signing-secret",
    "alpha.webhooks.previous-expiry",
    "alpha.webhooks.rotation",
    "alpha.records.times",
    "alpha.records.echo",
  ],
  rpc: "alpha.v1.WebhookService/RotateWebhookSecret",
  async run(context) {
    const { row, run, given, call, judge, needs } = context;
    const created = await call("alpha.v1.WebhookService/CreateWebhookEndpoint", {
      requestId: given.requestId(),
      ...given.tenant(),
      name: given.name("endpoint"),
      url: await quietHook(run),
    });
    const first = textAt(needs(created), "signingSecret");
    judge(created).satisfies(first !== "", "a signing secret", "none", "signingSecret");
    run.secrets.register(first, "a signing secret", "signing secret");
    const secrets = [first];
    const made = recordIn(created);
    const subject = { kind: "webhook_endpoint", id: made.id ?? null, record: made, steady: true };
    let version = versionOf(made);
    for (const _ of [1, 2]) {
      const rotated = await call(row, await given.request(row, { ...subject, version }));
      const json = needs(rotated);
      const secret = textAt(json, "signingSecret");
      run.secrets.register(secret, "a signing secret", "signing secret");
      judge(rotated).satisfies(secret !== "", "a signing secret", "none", "signingSecret");
      judge(rotated, "*.webhooks.rotation").satisfies(
        secret === "" || !secrets.includes(secret),
        "a secret that was not given out before",
        "the same secret again",
        "signingSecret",
      );
      secrets.push(secret);
      const expires = instantOf(json.previousSecretExpiresAt);
      const shown = showJson(json.previousSecretExpiresAt);
      judge(rotated, "*.webhooks.previous-expiry").satisfies(
        expires !== undefined,
        "when the previous secret expires",
        shown,
        "previousSecretExpiresAt",
      );
      const since = instantOf(made.createdAt);
      judge(rotated, "*.records.times").satisfies(
        expires === undefined || since === undefined || expires >= since,
        "no time before there was a secret",
        shown,
        "previousSecretExpiresAt",
      );
      for (const field of ["name", "url", "enabled"]) {
        const value = recordIn(rotated)[field];
        judge(rotated, "*.records.echo").satisfies(
          sameJson(value, made[field]),
          `${showJson(made[field])}, as before`,
          showJson(value),
          `endpoint.${field}`,
        );
      }
      version = versionOf(recordIn(rotated));
    }
  },
});
