import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { listRowOf, readRowOf } from "../../../proto/resources.ts";
import { type RpcRow, rpc } from "../../../proto/rpcs.ts";
import type { CallOptions } from "../../case/call.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { needed } from "../../target/target.ts";
import type { Credential } from "../../wire/client.ts";
import { objectAt, sameJson, textAt } from "../../wire/json.ts";
import { describeReply, type Reply } from "../../wire/reply.ts";
import { isOver, isSettled } from "../../wire/states.ts";
import { type Content, describeContent, upload, uploadSoon, wentThrough } from "./content.ts";
import { findRecord, listAll, shownIn, versionOf } from "../subject.ts";
import { unwatchedHook } from "../unwatched-hook.ts";
import { undoAlpha } from "./undo.ts";

/** A workspace of alpha.v1 and the key to work in it. */
export interface Workspace {
  readonly workspaceId: JsonObject;
  readonly key: Credential;
}

/** The recipes of alpha.v1: how each kind of resource is made in a workspace, read, and undone. */
export interface AlphaWorld {
  make(kind: string): Promise<Subject>;
  /** So many of a kind (or as many as there are), all shown by one listing. */
  several(kind: string, count: number): Promise<readonly Subject[]>;
  read(subject: Subject, options?: CallOptions): Promise<Reply>;
  current(subject: Subject): Promise<Subject | undefined>;
  settleJob(job: Subject): Promise<Subject>;
  /** Starts a fixture job by its input key in the target file. */
  startJob(script: JobScript, extra?: JsonObject): Promise<Subject>;
  /** Makes an endpoint at a url of our own, and sees to it that it is enabled. */
  makeEndpoint(url: string): Promise<Subject>;
  /** Base URL where the jobs of fixtures are visible: undefined for the usual one. */
  jobHome(): Promise<string | undefined>;
  /** Registers the undoing of something made in this workspace. */
  undoByDeleting(subject: Subject): void;
  urlOf(row: RpcRow, subject: Subject | undefined): Promise<string | undefined>;
}

export type JobScript = "succeed" | "fail" | "slow" | "artifacts" | "retry" | "stream";

/** Sees a workspace through a case's context. */
export function createAlphaWorld(context: CaseContext, workspace: Workspace): AlphaWorld {
  const { target, run } = context;
  const { settleMs, deliveryMs } = target.settings.patience;
  const tenant = { workspaceId: workspace.workspaceId };
  const as = workspace.key;
  const requestId = (): JsonValue => ({ value: context.random.uuidv7() });
  const envelope = () => ({ requestId: requestId(), ...tenant });
  const name = (label: string) => `${run.prefix}-${label}-${context.random.token(6)}`;

  function subjectFrom(kind: string, record: JsonObject, steady: boolean, more: Partial<Subject> = {}): Subject {
    const id = record.id;
    if (id === undefined || id === null) throw new Unproven(`a ${kind} record came without an id`);
    return { kind, id, record, version: versionOf(record), changesOnlyByMutation: steady, ...more };
  }

  async function read(subject: Subject, options: CallOptions = {}): Promise<Reply> {
    const row = readRowOf(subject.kind, "alpha.v1");
    if (row === undefined) throw new Error(`nothing reads one ${subject.kind}`);
    const field = row.ids.find((id) => id.facts.names === subject.kind)?.name ?? "";
    const inTenant = subject.kind === "mini_app" || row.ids.some((id) => id.facts.names === "workspace") ? tenant : {};
    return context.call(row, { ...inTenant, [field]: subject.id }, { as, baseUrl: subject.baseUrl, ...options });
  }

  async function current(subject: Subject): Promise<Subject | undefined> {
    const row = readRowOf(subject.kind, "alpha.v1");
    if (row !== undefined) {
      const reply = await read(subject);
      if (reply.outcome === "refused") return undefined;
      context.needs(reply);
      const record = shownIn(reply);
      return { ...subject, record, version: versionOf(record), shownBy: row.name };
    }
    const list = listRowOf(subject.kind, "alpha.v1");
    if (list === undefined) throw new Error(`nothing lists ${subject.kind}`);
    const { records } = await listAll(
      context,
      list,
      { ...tenant, ...subject.within },
      { as, baseUrl: subject.baseUrl },
    );
    const record = findRecord(records, list, subject.id);
    return record === undefined ? undefined : { ...subject, record, version: versionOf(record) };
  }

  async function makeSecret(): Promise<Subject> {
    const value = Buffer.from(context.random.token(40));
    run.secrets.register(value, "a secret's value", "secret value");
    const reply = await context.call(
      "alpha.v1.SecretService/CreateSecret",
      { ...envelope(), name: name("secret"), value: value.toString("base64") },
      { as },
    );
    const subject = subjectFrom("secret", objectAt(context.needs(reply), "secret"), true);
    return subject;
  }

  async function makeEndpoint(url?: string): Promise<Subject> {
    const reply = await context.call(
      "alpha.v1.WebhookService/CreateWebhookEndpoint",
      { ...envelope(), name: name("endpoint"), url: url ?? (await unwatchedHook(context)) },
      { as, baseUrl: await jobHome() },
    );
    const json = context.needs(reply);
    run.secrets.register(textAt(json, "signingSecret"), "a signing secret", "signing secret");
    const subject = subjectFrom("webhook_endpoint", objectAt(json, "endpoint"), true, { baseUrl: await jobHome() });
    return subject;
  }

  /** Whether an endpoint is enabled from the start is not shown. */
  function setEnabled(endpoint: Subject, enabled: boolean): Promise<Reply> {
    const { name, url } = endpoint.record;
    return context.call(
      "alpha.v1.WebhookService/UpdateWebhookEndpoint",
      {
        ...envelope(),
        endpointId: endpoint.id,
        expectedResourceVersion: endpoint.version,
        name: name ?? "",
        url: url ?? "",
        enabled,
      },
      { as, baseUrl: endpoint.baseUrl },
    );
  }

  async function enable(endpoint: Subject): Promise<Subject> {
    if (endpoint.record.enabled === true) return endpoint;
    const reply = await setEnabled(endpoint, true);
    const record = objectAt(context.needs(reply), "endpoint");
    return { ...endpoint, record, version: versionOf(record) };
  }

  function declareUpload(content: Content): Promise<Reply> {
    const [miniAppId] = target.alpha.miniAppIds;
    return context.call(
      "alpha.v1.ArtifactService/CreateArtifactUpload",
      {
        ...envelope(),
        miniAppId: needed(miniAppId, "alpha.miniAppIds", "uploads are made for a mini app"),
        name: name("artifact"),
        ...content.declared,
        requestedRetention: "3600s",
      },
      { as },
    );
  }

  async function makeArtifact(stage: "pending" | "uploaded" | "available"): Promise<Subject> {
    const content = describeContent(Buffer.from(context.random.token(64)), target.alpha.artifactMimeType);
    const artifactOf = (created: JsonObject) => subjectFrom("artifact", objectAt(created, "artifact"), true);
    if (stage === "pending") return artifactOf(context.needs(await declareUpload(content)));
    const { created, sent } = await uploadSoon(
      async () => context.needs(await declareUpload(content)),
      (address) => upload(context, address, content.bytes, as),
    );
    const pending = artifactOf(created);
    if (!wentThrough(sent)) {
      const status = sent.response?.status ?? sent.failure?.message;
      throw new Unproven(`needs an upload to the uploadUrl of CreateArtifactUpload, which answered ${status}`);
    }
    // An upload may count as a change of the artifact.
    const known = async () => (await current(pending)) ?? pending;
    if (stage === "uploaded") return known();
    const completeAt = (expectedResourceVersion: string) =>
      context.call(
        "alpha.v1.ArtifactService/CompleteArtifactUpload",
        { ...envelope(), artifactId: pending.id, expectedResourceVersion },
        { as },
      );
    // Not read before, unless it must be: what is wrong with reading is for other cases to say.
    let complete = await completeAt(pending.version);
    if (complete.outcome === "refused") complete = await completeAt((await known()).version);
    const completed = subjectFrom("artifact", objectAt(context.needs(complete), "artifact"), true);
    if (textAt(completed.record, "state") === "ARTIFACT_STATE_AVAILABLE") return completed;
    // Verification may go on behind the reply.
    const available = await context.poll(async () => {
      const now = await current(completed);
      return now !== undefined && textAt(now.record, "state") === "ARTIFACT_STATE_AVAILABLE" ? now : undefined;
    }, settleMs);
    if (available === undefined)
      throw new Unproven(`needs an available artifact; ${complete.row.name} was ${describeReply(complete)}`);
    return available;
  }

  /** Whether fixtures share their jobs with the base URL is open (readings 21), so it is looked up once per run. */
  function jobHome(): Promise<string | undefined> {
    const { testBaseUrl } = target.alpha;
    if (testBaseUrl === undefined || target.alpha.fixtureInputs.succeed === undefined)
      return Promise.resolve(undefined);
    return run.once("jobs are visible at", async () => {
      const job = await runAsync("succeed", undefined);
      const get = rpc("alpha.v1.JobService/GetJob");
      for (const baseUrl of [undefined, testBaseUrl]) {
        const seen = await context.call(get, { ...tenant, jobId: job.id }, { as, baseUrl });
        if (seen.outcome !== "served") continue;
        context.observe(
          "alpha.open.fixture-sharing",
          baseUrl === undefined
            ? "jobs of fixtures are visible on the base URL"
            : "jobs of fixtures are visible on the test base URL only",
        );
        return baseUrl;
      }
      throw new Unproven("needs a job that GetJob shows; the one RunAsync made it shows on neither base URL");
    });
  }

  async function runAsync(script: JobScript, baseUrl: string | undefined, extra: JsonObject = {}): Promise<Subject> {
    const input = needed(
      target.alpha.fixtureInputs[script],
      `alpha.fixtureInputs.${script}`,
      "only fixtures make jobs",
    );
    const reply = await context.call(
      "alpha.v1.PublicTestFixtureService/RunAsync",
      { ...envelope(), input, ...extra },
      { as },
    );
    const subject = subjectFrom("job", objectAt(context.needs(reply), "job"), false, { baseUrl });
    return subject;
  }

  async function settleJob(job: Subject): Promise<Subject> {
    const settled = await context.poll(async () => {
      const now = await current(job);
      if (now === undefined)
        throw new Unproven(`the job ${textAt(job.id, "value")} disappeared while it was waited for`);
      return isOver(now.record) ? now : undefined;
    }, settleMs);
    if (settled === undefined)
      throw new Unproven(`needs a job that finishes; none did within patience.settleMs (${settleMs} ms)`);
    await run.readLag.pass(context.row.package, context.signal);
    return { ...settled, changesOnlyByMutation: true };
  }

  async function startJob(script: JobScript, extra?: JsonObject): Promise<Subject> {
    return runAsync(script, await jobHome(), extra);
  }

  /**
   * A job that is under way. Its version may move on with its progress, so it is given once it has stood still for a
   * moment: what is refused afterwards is then hardly refused for a version left behind.
   */
  async function makeRunningJob(): Promise<Subject> {
    let job = await startJob("slow");
    await context.poll(async () => {
      const now = await current(job);
      if (now === undefined || isOver(now.record))
        throw new Unproven("needs a job that goes on running; fixtureInputs.slow ended at once");
      const still = now.version === job.version && textAt(now.record, "state") !== "JOB_STATE_QUEUED";
      job = now;
      return still ? now : undefined;
    }, 1000);
    return job;
  }

  /** Settled deliveries of so many finished jobs to one endpoint, which gets no others afterwards where they are the `last`. */
  async function makeDeliveries(count: number, last = false): Promise<Subject[]> {
    const hook = (await run.receiver()).hook();
    const endpoint = await enable(await makeEndpoint(hook.url));
    const jobs = await Promise.all(Array.from({ length: count }, async () => settleJob(await startJob("succeed"))));
    const list = rpc("alpha.v1.WebhookService/ListWebhookDeliveries");
    const within = { endpointId: endpoint.id };
    const deliveries = await context.poll(async () => {
      const { records } = await listAll(context, list, { ...tenant, ...within }, { as, baseUrl: endpoint.baseUrl });
      const found = jobs.flatMap((job) => records.filter((one) => sameJson(one.jobId, job.id) && isSettled(one)));
      return found.length >= jobs.length ? found : undefined;
    }, deliveryMs);
    if (deliveries === undefined) {
      throw new Unproven("needs a settled webhook delivery for a finished job; none came to be listed");
    }
    // Every other job that finishes would add to them. Where this is refused, they go on growing.
    if (last) await setEnabled(endpoint, false);
    const { baseUrl } = endpoint;
    return deliveries.map((one) => subjectFrom("webhook_delivery", one, true, { within, baseUrl, shownBy: list.name }));
  }

  async function miniApp(id: string): Promise<Subject> {
    const found = await current({ kind: "mini_app", id, record: {}, version: "0", changesOnlyByMutation: true });
    if (found === undefined)
      throw new Unproven(`needs the mini app ${id} of the target file, which GetMiniApp refuses`);
    return found;
  }

  return {
    read,
    current,
    undoByDeleting(subject) {
      context.undo((undoing) => undoAlpha(createAlphaWorld(undoing, workspace), undoing, subject, workspace));
    },
    async several(kind, count) {
      if (kind === "webhook_delivery") return makeDeliveries(count, true);
      if (kind === "mini_app") return Promise.all(target.alpha.miniAppIds.slice(0, count).map(miniApp));
      return Promise.all(Array.from({ length: count }, () => this.make(kind)));
    },
    settleJob,
    startJob,
    makeEndpoint: async (url) => enable(await makeEndpoint(url)),
    jobHome,
    async urlOf(row, subject) {
      if (subject?.baseUrl !== undefined) return subject.baseUrl;
      return row.service === "JobService" || row.service === "WebhookService" ? jobHome() : undefined;
    },
    async make(kind) {
      switch (kind) {
        case "secret":
          return makeSecret();
        case "webhook_endpoint":
          return makeEndpoint();
        case "artifact:pending":
          return makeArtifact("pending");
        case "artifact:uploaded":
          return makeArtifact("uploaded");
        case "artifact":
          return makeArtifact("available");
        case "job":
          return settleJob(await startJob("succeed"));
        case "job:running":
          return makeRunningJob();
        case "webhook_delivery": {
          const [delivery] = await makeDeliveries(1);
          if (delivery === undefined) throw new Error("one delivery was made and none returned");
          return delivery;
        }
        case "mini_app":
          return miniApp(needed(target.alpha.miniAppIds[0], "alpha.miniAppIds", "a mini app that exists"));
        default:
          throw new Error(`alpha.v1 has no recipe for ${kind}`);
      }
    },
  };
}
