import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { deleteRowOf, distinguishingFieldOf, listRowOf, subjectFieldOf } from "../../../proto/resources.ts";
import { Effect, type RpcRow } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Listed, Setup, Subject } from "../../case/setup.ts";
import { NotExercised, needed } from "../../target/target.ts";
import { sameJson, showJson, textAt } from "../../wire/json.ts";
import { isObject } from "../../wire/reply.ts";
import { isOver } from "../../wire/states.ts";
import { describeContent } from "./content.ts";
import { shareUntilExpired } from "../shared.ts";
import { idIn, isAsBefore, listAll, recordIn, versionOf } from "../subject.ts";
import { unwatchedHook } from "../unwatched-hook.ts";
import { isTombstone } from "./undo.ts";
import { type AlphaWorld, createAlphaWorld, type Workspace } from "./job.ts";

/** States a row can act on, where a plain resource of its kind will not do. */
const stages: Readonly<Record<string, string>> = {
  "alpha.v1.ArtifactService/CompleteArtifactUpload": "artifact:uploaded",
  "alpha.v1.JobService/CancelJob": "job:running",
};

/** The run's own workspace. Throws NotExercised where the target file names none. */
function ownWorkspaceOf({ target, run }: CaseContext): Workspace {
  const id = needed(target.alpha.workspaceId, "alpha.workspaceId", "the workspace to work in");
  return { workspaceId: { value: id }, key: run.fullKey("alpha.v1") };
}

/** The recipes of the run's own workspace, for scenarios that only alpha.v1 can tell. */
export function alphaSetup(context: CaseContext): AlphaWorld {
  return createAlphaWorld(context, ownWorkspaceOf(context));
}

/** The given of alpha.v1. */
export function createAlphaSetup(context: CaseContext): Setup {
  const { target, run } = context;

  const home = () => ownWorkspaceOf(context);
  function away(): Workspace {
    const second = needed(target.alpha.secondWorkspace, "alpha.secondWorkspace", "a workspace to keep apart");
    return { workspaceId: { value: second.workspaceId }, key: { label: "alpha second key", token: second.apiKey } };
  }
  const world = () => createAlphaWorld(context, home());
  const requestId = (): JsonValue => ({ value: context.random.uuidv7() });
  const name = (label = "thing") => `${run.prefix}-${label}-${context.random.token(6)}`;
  const tenant = () => ({ workspaceId: home().workspaceId });

  /** A value for a request field that neither names something nor is a fact of the protocol. */
  async function plainField(field: string): Promise<JsonValue | undefined> {
    switch (field) {
      case "name":
        return name();
      case "url":
        return unwatchedHook(context);
      case "enabled":
        return true;
      case "requestedRetention":
        return "3600s";
      case "input":
        return needed(
          target.alpha.fixtureInputs.succeed,
          "alpha.fixtureInputs.succeed",
          "an input fixtures succeed with",
        );
      case "value": {
        const value = Buffer.from(context.random.token(40));
        run.secrets.register(value, "a secret's value", "secret value");
        return value.toString("base64");
      }
      default:
        return undefined;
    }
  }

  async function current(subject: Subject): Promise<Subject | undefined> {
    return world().current(subject);
  }

  function limited(fits: (scopes: readonly string[]) => boolean, what: string) {
    // The one with the most scopes: what is refused for want of one scope is not for want of others.
    const { limited } = target.alpha.apiKeys;
    const [index = -1] = [...limited.keys()]
      .filter((place) => fits(limited[place]?.scopes ?? []))
      .sort((a, b) => (limited[b]?.scopes.length ?? 0) - (limited[a]?.scopes.length ?? 0));
    const key = limited[index];
    if (key === undefined) throw new NotExercised("alpha.apiKeys.limited", what);
    return { label: `alpha limited key ${index}`, token: key.token };
  }

  const withoutScope = ({ scope }: RpcRow) => limited((scopes) => !scopes.includes(scope), `a key without ${scope}`);

  return {
    tenant,
    requestId,
    name,
    fresh: (kind) => world().make(kind),
    shared: (kind) =>
      shareUntilExpired(run, `alpha ${kind}`, () =>
        context.shared((outer) => createAlphaWorld(outer, home()).make(kind)),
      ),
    listed: (row) =>
      run.once(`alpha listed ${row.subject}`, () =>
        context.shared(async (outer): Promise<Listed> => {
          const inHome = createAlphaWorld(outer, home());
          const subjects = await inHome.several(row.subject, 3);
          const [first] = subjects;
          return { subjects, request: { ...tenant(), ...first?.within }, baseUrl: await inHome.urlOf(row, first) };
        }),
      ),
    ofOtherTenant: (kind) =>
      shareUntilExpired(run, `alpha foreign ${kind}`, () =>
        context.shared((outer) => createAlphaWorld(outer, away()).make(kind)),
      ),
    async subjectOf(row) {
      if (row.effect === Effect.CREATE) return undefined;
      const stage = stages[row.name];
      if (stage !== undefined) return this.fresh(stage);
      const reads = row.effect === Effect.READ || row.effect === Effect.LIST || row.effect === Effect.WATCH;
      return reads ? this.shared(row.subject) : this.fresh(row.subject);
    },
    async request(row, subject) {
      const request: JsonObject = {};
      const own = subjectFieldOf(row);
      const listed = row.effect === Effect.LIST ? subject?.within : undefined;
      for (const field of row.input.fields) {
        const { jsonName } = field;
        if (jsonName === row.requestId?.name) request[jsonName] = requestId();
        else if (jsonName === "workspaceId") request[jsonName] = home().workspaceId;
        else if (jsonName === own && subject !== undefined) request[jsonName] = subject.id;
        else if (jsonName === row.expectedVersion?.name) request[jsonName] = subject?.version ?? "0";
        else if (jsonName === "miniAppId" && row.effect === Effect.CREATE) {
          request[jsonName] = needed(target.alpha.miniAppIds[0], "alpha.miniAppIds", "uploads are made for a mini app");
        } else {
          const value = await plainField(jsonName);
          if (value !== undefined) request[jsonName] = value;
        }
      }
      if (row.method === "CreateArtifactUpload") {
        const content = describeContent(Buffer.from(context.random.token(64)), target.alpha.artifactMimeType);
        return { ...request, ...content.declared };
      }
      return { ...request, ...listed };
    },
    baseUrl: (_row, subject) => subject?.baseUrl,
    homeUrl: (row) => world().urlOf(row, undefined),
    read: (subject, options) => world().read(subject, options),
    current,
    async change(subject) {
      const envelope = { requestId: requestId(), ...tenant(), expectedResourceVersion: subject.version };
      if (subject.kind === "secret") {
        const request = { ...envelope, secretId: subject.id, value: (await plainField("value")) ?? "" };
        context.needs(await context.call("alpha.v1.SecretService/RotateSecret", request));
      } else if (subject.kind === "webhook_endpoint") {
        const request = {
          ...envelope,
          endpointId: subject.id,
          name: name(),
          url: await unwatchedHook(context),
          enabled: true,
        };
        context.needs(
          await context.call("alpha.v1.WebhookService/UpdateWebhookEndpoint", request, { baseUrl: subject.baseUrl }),
        );
      } else {
        return undefined;
      }
      return current(subject);
    },
    async effectOn(row, before) {
      const now = await current(before);
      if (now === undefined) return { visible: true, seen: `the ${before.kind} is gone` };
      if (before.changesOnlyByMutation) {
        const touched = !isAsBefore("alpha.v1", before, now.record);
        return { visible: touched, seen: `before ${showJson(before.record)}, after ${showJson(now.record)}` };
      }
      // A running job changes by itself; what a cancellation would do to it does not come by itself.
      const state = textAt(now.record, "state");
      const touched = state === "JOB_STATE_CANCELING" || state === "JOB_STATE_CANCELED";
      return {
        visible: touched || (row.effect === Effect.DELETE && isOver(now.record)),
        seen: `the job is ${state}`,
      };
    },
    async countCreated(row, request) {
      const mark = distinguishingFieldOf(row);
      const list = listRowOf(row.subject, "alpha.v1");
      if (list === undefined || mark === undefined) return undefined;
      const { records } = await listAll(context, list, tenant(), { baseUrl: await world().urlOf(list, undefined) });
      return records.filter((record) => sameJson(record[mark], request[mark]) && !isTombstone(record)).length;
    },
    deleteOf(kind) {
      const row = deleteRowOf(kind, "alpha.v1");
      if (row === undefined) throw new Error(`nothing deletes a ${kind}`);
      return row;
    },
    isTombstone: isTombstone,
    subjectIn: (reply) => {
      const record = recordIn(reply);
      return {
        kind: reply.row.subject,
        id: idIn(reply),
        record,
        version: versionOf(record),
        changesOnlyByMutation: true,
      };
    },
    undoCreated(reply, options) {
      const { workspaceId } = reply.request;
      if (!isObject(idIn(reply)) || !isObject(workspaceId)) return;
      // A credential that should not have made it is not the one to undo it with.
      const key = typeof options.as === "object" && options.as !== null ? options.as : run.fullKey("alpha.v1");
      const made = { ...this.subjectIn(reply), baseUrl: options.baseUrl };
      createAlphaWorld(context, { workspaceId, key }).undoByDeleting(made);
    },
    credentialOfKind: async () => run.fullKey("alpha.v1"),
    credentialOfKindWithoutScope: async (_kind, row) => withoutScope(row),
    unpermittedUser() {
      throw new Error("alpha.v1 has no identity-provider users");
    },
    otherUser() {
      throw new Error("alpha.v1 has no customer users");
    },
    credential: async () => run.fullKey("alpha.v1"),
    otherTenant: async () => ({ key: away().key, tenant: { workspaceId: away().workspaceId } }),
    keyWithScope: async ({ scope }) =>
      limited((scopes) => scopes.length === 1 && scopes[0] === scope, `a key that has ${scope} and no other scope`),
    keyWithoutScope: async (row) => withoutScope(row),
  };
}
