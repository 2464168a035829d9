import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { listRowOf, readRowOf, recordFields } from "../../../proto/resources.ts";
import { CredentialKind, type RpcRow, rpc } from "../../../proto/rpcs.ts";
import type { CallOptions } from "../../case/call.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { NotExercised, needed } from "../../target/target.ts";
import type { Credential } from "../../wire/client.ts";
import { objectAt, sameJson, textAt } from "../../wire/json.ts";
import type { Reply } from "../../wire/reply.ts";
import { isOver, isSettled } from "../../wire/states.ts";
import { findRecord, listAll, shownIn, versionOf } from "../subject.ts";
import { unwatchedHook } from "../unwatched-hook.ts";
import { type BetaTenant, browserScopes, createUser, mintToken } from "./customer-user.ts";

/** What a text makes the app do, by its key in the target file. */
export type RunScript = "complete" | "fail" | "slow" | "approval" | "artifact" | "memory" | "unknown";

/** Every event type an endpoint may subscribe to. */
export const eventTypes = [
  "WEBHOOK_EVENT_TYPE_RUN_STATE_CHANGED",
  "WEBHOOK_EVENT_TYPE_RUN_COMPLETED",
  "WEBHOOK_EVENT_TYPE_RUN_FAILED",
  "WEBHOOK_EVENT_TYPE_RUN_OUTCOME_UNKNOWN",
  "WEBHOOK_EVENT_TYPE_APPROVAL_REQUIRED",
] as const;

/** Types of events that hardly ever happen: for endpoints whose deliveries are not the question. */
export const quietTypes = ["WEBHOOK_EVENT_TYPE_RUN_FAILED", "WEBHOOK_EVENT_TYPE_RUN_OUTCOME_UNKNOWN"] as const;

/** The recipes of beta.v1: how each kind of resource is made in a tenant, read, and undone. */
export interface BetaWorld {
  /** The tenant's own user, shared by what need not have one for itself. */
  user(): Promise<Subject>;
  /** A session of that user, shared. */
  session(): Promise<Subject>;
  /** A browser token with these scopes, of that user or of the subject's own; shared. */
  token(scopes?: readonly string[], subject?: Subject): Promise<Credential>;
  /** The credential of the tenant a row takes: its backend key, or a browser token where a key is refused. */
  credential(row: RpcRow): Promise<Credential>;
  make(kind: string): Promise<Subject>;
  several(kind: string, count: number): Promise<readonly Subject[]>;
  startRun(script: RunScript, user?: Subject): Promise<Subject>;
  settleRun(run: Subject): Promise<Subject>;
  /** The pending approval a run waits for. */
  awaitApproval(run: Subject): Promise<Subject>;
  read(subject: Subject, options?: CallOptions): Promise<Reply>;
  current(subject: Subject): Promise<Subject | undefined>;
}

/** Sees a tenant of beta.v1 through a case's context. */
export function createBetaWorld(context: CaseContext, tenant: BetaTenant): BetaWorld {
  const { target, run } = context;
  const { settleMs, deliveryMs } = target.settings.patience;
  const { workspaceId, appId } = tenant;
  const requestId = (): JsonValue => ({ value: context.random.uuidv7() });
  const envelope = () => ({ requestId: requestId(), workspaceId, appId });
  const name = (label: string) => `${run.prefix}-${label}-${context.random.token(6)}`;
  const shared = <T>(what: string, make: (outer: BetaWorld, outerContext: CaseContext) => Promise<T>): Promise<T> =>
    run.once(`beta ${tenant.label} ${what}`, () =>
      context.shared((outer) => make(createBetaWorld(outer, tenant), outer)),
    );

  const world: BetaWorld = {
    user: () => shared("user", (outer) => outer.make("customer_user")),
    session: () => shared("session", (outer) => outer.make("session")),
    async token(scopes = browserScopes, subject) {
      const id = subject?.within?.customerUserId ?? (await world.user()).id;
      return shared(`token ${JSON.stringify(id)} ${scopes.join(" ")}`, (_outer, outerContext) =>
        mintToken(outerContext, tenant, { id }, scopes),
      );
    },
    credential: async (row) => (takesKey(row) ? tenant.key : world.token()),
    make,
    several,
    startRun,
    settleRun,
    awaitApproval,
    read,
    current,
  };
  return world;

  function subjectFrom(row: RpcRow, record: JsonObject, more: Partial<Subject> = {}): Subject {
    const id = record[recordFields(row).id] ?? null;
    const { customerUserId } = record;
    const within = customerUserId === undefined || customerUserId === null ? {} : { within: { customerUserId } };
    const seen = { record, version: versionOf(record), shownBy: row.name };
    return { kind: row.subject, id, ...seen, changesOnlyByMutation: true, ...within, ...more };
  }

  /** Calls a row of the tenant and returns the subject its record is. */
  async function call(rowName: string, request: JsonObject): Promise<Subject> {
    const row = rpc(rowName);
    const reply = await context.call(row, { ...envelope(), ...request }, { as: await world.credential(row) });
    return subjectFrom(row, objectAt(context.needs(reply), row.record?.name ?? ""), ofSameUser(request));
  }

  /** The user that was asked about narrows what is asked next, whatever the reply says of him. */
  function ofSameUser({ customerUserId }: JsonObject = {}): Partial<Subject> {
    return customerUserId === undefined ? {} : { within: { customerUserId } };
  }

  async function ofUser(user?: Subject): Promise<JsonObject> {
    return { customerUserId: (user ?? (await world.user())).id };
  }

  async function read(subject: Subject, options: CallOptions = {}): Promise<Reply> {
    const row = readRowOf(subject.kind, "beta.v1");
    if (row === undefined) throw new Error(`nothing reads one ${subject.kind}`);
    const own = row.ids.find((id) => id.facts.names === subject.kind && id.name !== "customerUserId")?.name;
    const request: JsonObject = { ...envelope(), ...(own === undefined ? {} : { [own]: subject.id }) };
    if (subject.kind === "customer_user") request.externalUserId = subject.record.externalUserId ?? "";
    else {
      // What narrows its listing need not be a field of its reading.
      for (const { name } of row.ids) if (subject.within?.[name] !== undefined) request[name] = subject.within[name];
    }
    return context.call(row, request, { as: await world.credential(row), ...options });
  }

  async function current(subject: Subject): Promise<Subject | undefined> {
    const row = readRowOf(subject.kind, "beta.v1");
    if (row !== undefined) {
      const reply = await read(subject);
      if (reply.outcome === "broken") context.needs(reply);
      if (reply.outcome !== "served") return undefined;
      const record = shownIn(reply);
      return { ...subject, record, version: versionOf(record), shownBy: row.name };
    }
    const list = listRowOf(subject.kind, "beta.v1");
    // A login request shows nothing of itself but in the reply that completes it.
    if (list === undefined) return subject;
    const record = findRecord(await listed(list, subject.within ?? {}), list, subject.id);
    return record === undefined ? undefined : { ...subject, record, version: versionOf(record) };
  }

  async function listed(list: RpcRow, within: JsonObject): Promise<readonly JsonObject[]> {
    const as = await world.credential(list);
    return (await listAll(context, list, { ...envelope(), ...within }, { as })).records;
  }

  async function startRun(script: RunScript, user?: Subject): Promise<Subject> {
    const text = needed(target.beta.inputs[script], `beta.inputs.${script}`, "only an input makes a run do so");
    const session = user === undefined ? await world.session() : await makeSession(user);
    const started = await call("beta.v1.RunService/CreateRun", {
      appVersionId: tenant.appVersionId,
      ...(await ofUser(user)),
      sessionId: session.id,
      input: { text },
    });
    return { ...started, changesOnlyByMutation: false };
  }

  /** Ends the case for want of something that was there: with the reply that refused to show it, where it still does. */
  async function lose(subject: Subject, otherwise: string): Promise<never> {
    context.needs(await read(subject));
    throw new Unproven(otherwise);
  }

  async function settleRun(started: Subject): Promise<Subject> {
    const settled = await context.poll(async () => {
      const now = await current(started);
      if (now === undefined) return lose(started, "a run disappeared while it was waited for");
      return isOver(now.record) ? now : undefined;
    }, settleMs);
    if (settled === undefined)
      throw new Unproven(`needs a run that ends; none did within patience.settleMs (${settleMs} ms)`);
    await run.readLag.pass(context.row.package, context.signal);
    return { ...settled, changesOnlyByMutation: true };
  }

  async function awaitApproval(waiting: Subject): Promise<Subject> {
    const list = rpc("beta.v1.ApprovalService/ListApprovals");
    let looks = 0;
    const found = await context.poll(async () => {
      // Of all approvals of a user, few are pending. A list that fails to show those alone is now and then asked for all.
      const filter: JsonObject = looks++ % 4 === 3 ? {} : { state: "APPROVAL_STATE_PENDING" };
      const approvals = await listed(list, { ...waiting.within, ...filter });
      return approvals.find(
        (one) => sameJson(one.runId, waiting.id) && textAt(one, "state") === "APPROVAL_STATE_PENDING",
      );
    }, settleMs);
    if (found === undefined) throw new Unproven("needs a pending approval; beta.inputs.approval made none");
    return subjectFrom(list, found, ofSameUser(waiting.within));
  }

  async function makeSession(user?: Subject): Promise<Subject> {
    return call("beta.v1.SessionService/CreateSession", { appVersionId: tenant.appVersionId, ...(await ofUser(user)) });
  }

  async function makeRunning(): Promise<Subject> {
    let running = await startRun("slow");
    await context.poll(async () => {
      const now = await current(running);
      if (now === undefined) return lose(running, "a run disappeared while it was waited for");
      if (isOver(now.record)) throw new Unproven("needs a run that goes on; beta.inputs.slow ended at once");
      const still = now.version === running.version && textAt(now.record, "state") !== "RUN_STATE_QUEUED";
      running = now;
      return still ? now : undefined;
    }, 1000);
    return running;
  }

  async function jobOf(finished: Subject): Promise<Subject> {
    const row = rpc("beta.v1.PlatformService/GetJob");
    const request = { ...envelope(), ...finished.within, jobId: finished.record.jobId ?? null };
    const reply = await context.call(row, request, { as: await world.credential(row) });
    return subjectFrom(row, objectAt(context.needs(reply), "job"), ofSameUser(finished.within));
  }

  async function makeArtifacts(): Promise<Subject[]> {
    const finished = await settleRun(await startRun("artifact"));
    const list = rpc("beta.v1.PlatformService/ListArtifacts");
    const within = { ...finished.within, jobId: finished.record.jobId ?? null };
    const artifacts = await listed(list, within);
    if (artifacts.length === 0) throw new Unproven("needs an artifact; beta.inputs.artifact made none");
    return artifacts.map((one) => subjectFrom(list, one, { within }));
  }

  /** The memory of a new user: what one run leaves, or, where that is less than `least`, what three do. */
  async function makeMemory(least = 1): Promise<Subject[]> {
    const user = await make("customer_user");
    const list = rpc("beta.v1.MemoryService/ListMemoryItems");
    const remember = async () => {
      await settleRun(await startRun("memory", user));
      const items = await context.poll(async () => {
        const found = await listed(list, await ofUser(user));
        return found.length > 0 ? found : undefined;
      }, settleMs);
      if (items === undefined) throw new Unproven("needs a memory item; beta.inputs.memory stored none");
      return items;
    };
    let items = await remember();
    for (let more = 0; more < 2 && items.length < least; more += 1) items = await remember();
    const within = await ofUser(user);
    return items.map((one) => subjectFrom(list, one, { within }));
  }

  async function makeSettings(): Promise<Subject> {
    const user = await make("customer_user");
    const unread = {
      kind: "memory_settings",
      id: null,
      record: {},
      version: "0",
      changesOnlyByMutation: true,
      within: await ofUser(user),
    };
    const settings = await current(unread);
    return settings ?? lose(unread, "the memory settings of a user could not be read");
  }

  /** Settled deliveries of so many finished runs to one endpoint. */
  async function makeDeliveries(count: number): Promise<Subject[]> {
    const hook = (await run.receiver()).hook();
    const eventTypes = ["WEBHOOK_EVENT_TYPE_RUN_COMPLETED"];
    const made = await call("beta.v1.WebhookService/CreateWebhookEndpoint", { url: hook.url, eventTypes });
    const named = { webhookEndpointId: made.id, expectedResourceVersion: made.version };
    const change = { ...named, url: hook.url, eventTypes, enabled: true };
    // Whether it is enabled from the start is not shown.
    const enabled = made.record.enabled === true;
    const endpoint = enabled ? made : await call("beta.v1.WebhookService/UpdateWebhookEndpoint", change);
    const runs = await Promise.all(Array.from({ length: count }, async () => settleRun(await startRun("complete"))));
    const list = rpc("beta.v1.WebhookService/ListWebhookDeliveries");
    const within = { webhookEndpointId: endpoint.id };
    const found = await context.poll(async () => {
      const all = await listed(list, within);
      const own = runs.flatMap((one) => all.filter((it) => sameJson(it.subjectId, one.id) && isSettled(it)));
      return own.length >= count ? own : undefined;
    }, deliveryMs);
    if (found === undefined)
      throw new Unproven("needs a settled webhook delivery for a finished run; none came to be listed");
    return found.map((one) => subjectFrom(list, one, { within }));
  }

  /** A login request nobody has completed yet: each is good for once. */
  async function takeLoginRequest(): Promise<Subject> {
    const free = await run.once("beta login requests", async () => [...target.beta.oauthLoginRequests]);
    // Any of them: what a run before this one completed is not met first again.
    const [taken] = free.splice(context.random.integer(0, Math.max(0, free.length - 1)), 1);
    if (taken === undefined)
      throw new NotExercised("beta.oauthLoginRequests", "a login request that is free to be completed");
    return {
      kind: "oauth_login_request",
      id: { value: taken.id },
      record: {},
      version: taken.resourceVersion,
      changesOnlyByMutation: true,
    };
  }

  function first(subjects: readonly Subject[]): Subject {
    const [one] = subjects;
    if (one === undefined) throw new Error("nothing was made");
    return one;
  }

  async function make(kind: string): Promise<Subject> {
    switch (kind) {
      case "customer_user":
        return createUser(context, tenant);
      case "secret": {
        const value = Buffer.from(context.random.token(40));
        run.secrets.register(value, "a secret's value", "secret value");
        const request = { ...(await ofUser()), name: name("secret"), plaintextValue: value.toString("base64") };
        return call("beta.v1.CustomerSecretService/CreateSecret", request);
      }
      case "session":
        return makeSession();
      case "run":
        return settleRun(await startRun("complete"));
      case "run:streaming":
        return startRun("complete");
      case "run:running":
        return makeRunning();
      case "job":
        return jobOf(await settleRun(await startRun("complete")));
      case "artifact":
        return first(await makeArtifacts());
      case "approval":
        return awaitApproval(await startRun("approval"));
      case "memory_item":
        return first(await makeMemory());
      case "memory_settings":
        return makeSettings();
      case "webhook_endpoint":
        return call("beta.v1.WebhookService/CreateWebhookEndpoint", {
          url: await unwatchedHook(context),
          eventTypes: [...quietTypes],
        });
      case "webhook_delivery":
        return first(await makeDeliveries(1));
      case "oauth_login_request":
        return takeLoginRequest();
      default:
        throw new Error(`beta.v1 has no recipe for ${kind}`);
    }
  }

  async function several(kind: string, count: number): Promise<readonly Subject[]> {
    switch (kind) {
      case "artifact":
        return makeArtifacts();
      case "memory_item":
        return makeMemory(count);
      case "webhook_delivery":
        return makeDeliveries(count);
      default:
        return Promise.all(Array.from({ length: count }, () => make(kind)));
    }
  }
}

/** True for rows that a backend key may call. */
export function takesKey(row: RpcRow): boolean {
  return row.credentials.includes(CredentialKind.BACKEND_KEY);
}
