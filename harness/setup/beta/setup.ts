import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { deleteRowOf, distinguishingFieldOf, listRowOf, subjectFieldOf } from "../../../proto/resources.ts";
import { CredentialKind, Effect, isReadOnly, type RpcRow, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Listed, Setup, Subject } from "../../case/setup.ts";
import { textRow } from "../../runner/call.ts";
import { NotExercised, needed } from "../../target/target.ts";
import type { Credential } from "../../wire/client.ts";
import { sameJson, showJson, textAt } from "../../wire/json.ts";
import { isObject } from "../../wire/reply.ts";
import { isOver } from "../../wire/states.ts";
import { shareUntilExpired } from "../shared.ts";
import { idIn, isAsBefore, listAll, recordIn, versionOf } from "../subject.ts";
import { unwatchedHook } from "../unwatched-hook.ts";
import { browserScopes, createUser, defaultOrigin, grantFields, mintToken } from "./customer-user.ts";
import { otherTenantOf, ownTenantOf } from "./tenant.ts";
import { isTombstone, undoBeta } from "./undo.ts";
import { type BetaWorld, createBetaWorld, quietTypes, takesKey } from "./run.ts";

/** What a row acts on, where a plain resource of its kind will not do. */
const stages: Readonly<Record<string, string>> = { "beta.v1.RunService/CancelRun": "run:running" };

/** The recipes of the run's own tenant, for scenarios that only beta.v1 can tell. */
export function betaSetup(context: CaseContext): BetaWorld {
  return createBetaWorld(context, ownTenantOf(context));
}

/** The given of beta.v1. */
export function createBetaSetup(context: CaseContext): Setup {
  const { target, run } = context;
  const world = () => createBetaWorld(context, ownTenantOf(context));
  const requestId = (): JsonValue => ({ value: context.random.uuidv7() });
  const name = (label = "thing") => `${run.prefix}-${label}-${context.random.token(6)}`;
  const tenant = () => ({ workspaceId: ownTenantOf(context).workspaceId, appId: ownTenantOf(context).appId });

  /** A value for a request field that neither names something nor is a fact of the protocol. */
  async function plainField(field: string): Promise<JsonValue | undefined> {
    const origin = target.beta.browserOrigin ?? defaultOrigin;
    switch (field) {
      case "name":
      case "externalUserId":
        return name();
      case "url":
        return unwatchedHook(context);
      case "eventTypes":
        return [...quietTypes];
      case "enabled":
        return true;
      case "decision":
        return "APPROVAL_DECISION_APPROVE";
      case "input":
        return { text: needed(target.beta.inputs.complete, "beta.inputs.complete", "a text a run succeeds with") };
      case "valueJson":
        return Buffer.from('{"liked":true}').toString("base64");
      case "scopes":
        return ["runs:read"];
      case "lifetimeSeconds":
        // The longest is not shown: a short one is had everywhere.
        return 60;
      case "origins":
        return [origin];
      case "plaintextValue": {
        const value = Buffer.from(context.random.token(40));
        run.secrets.register(value, "a secret's value", "secret value");
        return value.toString("base64");
      }
      default:
        return grantFields(context)[field];
    }
  }

  /** An id of something the row works with but is not about. */
  async function otherId(row: RpcRow, names: string, subject: Subject | undefined): Promise<JsonValue | undefined> {
    switch (names) {
      case "customer_user":
        return subject?.within?.customerUserId ?? (await world().user()).id;
      case "app_version":
        return ownTenantOf(context).appVersionId;
      case "session":
        return row.effect === Effect.CREATE ? (await world().session()).id : undefined;
      case "run":
        return subject?.record.runId;
      case "external_user":
        return subject?.record.externalUserId;
      case "tool":
        return target.beta.toolIds.map((value) => ({ value }));
      default:
        return undefined;
    }
  }

  function limited(fits: (scopes: readonly string[]) => boolean, what: string): Credential {
    // The one with the most scopes: what is refused for want of one scope is not for want of others.
    const keys = target.beta.backendKeys.limited;
    const [index = -1] = [...keys.keys()]
      .filter((place) => fits(keys[place]?.scopes ?? []))
      .sort((a, b) => (keys[b]?.scopes.length ?? 0) - (keys[a]?.scopes.length ?? 0));
    const key = keys[index];
    if (key === undefined) throw new NotExercised("beta.backendKeys.limited", what);
    return { label: `beta limited key ${index}`, token: key.token };
  }

  /** Whether a stream of a finished run's text answers: what keeps no text, and ends no stream, says nothing for good. */
  function answersOnText(): Promise<boolean> {
    return run.once("beta text answers", () =>
      context.shared(async (outer) => {
        const finished = await outer.setup.shared("run");
        const enough = () => true;
        const reply = await outer.call(textRow, await outer.setup.request(textRow, finished), { enough });
        return reply.exchange.response !== undefined;
      }),
    );
  }

  return {
    tenant,
    requestId,
    name,
    fresh: (kind) => world().make(kind),
    shared: (kind) =>
      shareUntilExpired(run, `beta ${kind}`, () =>
        context.shared((outer) => createBetaWorld(outer, ownTenantOf(outer)).make(kind)),
      ),
    ofOtherTenant: (kind) =>
      shareUntilExpired(run, `beta foreign ${kind}`, () =>
        context.shared((outer) => createBetaWorld(outer, otherTenantOf(outer)).make(kind)),
      ),
    listed: (row) =>
      run.once(`beta listed ${row.subject}`, () =>
        context.shared(async (outer): Promise<Listed> => {
          const subjects = await createBetaWorld(outer, ownTenantOf(outer)).several(row.subject, 3);
          return { subjects, request: { ...tenant(), ...subjects[0]?.within }, baseUrl: undefined };
        }),
      ),
    async subjectOf(row) {
      if (row.effect === Effect.CREATE) return undefined;
      const stage = stages[row.name];
      if (stage !== undefined) return this.fresh(stage);
      if (row === textRow && !(await answersOnText())) return this.fresh("run:streaming");
      return isReadOnly(row) ? this.shared(row.subject) : this.fresh(row.subject);
    },
    async request(row, subject) {
      const request: JsonObject = {};
      const own = row.subject === "customer_user" ? "customerUserId" : subjectFieldOf(row);
      for (const { jsonName } of row.input.fields) {
        const fact = row.ids.find((id) => id.name === jsonName);
        if (jsonName === row.requestId?.name) request[jsonName] = requestId();
        else if (jsonName === "workspaceId" || jsonName === "appId") request[jsonName] = tenant()[jsonName];
        else if (jsonName === own && subject !== undefined) request[jsonName] = subject.id;
        else if (jsonName === row.expectedVersion?.name) request[jsonName] = subject?.version ?? "0";
        // Set to what it is already, a server may see nothing to change.
        else if (jsonName === "enabled" && subject?.kind === "memory_settings")
          request[jsonName] = !subject.record.enabled;
        else {
          const value = fact === undefined ? await plainField(jsonName) : await otherId(row, fact.facts.names, subject);
          if (value !== undefined) request[jsonName] = value;
        }
      }
      return row.effect === Effect.LIST ? { ...request, ...subject?.within } : request;
    },
    baseUrl: () => undefined,
    homeUrl: async () => undefined,
    read: (subject, options) => world().read(subject, options),
    current: (subject) => world().current(subject),
    async change(subject) {
      const rowName = changes[subject.kind];
      if (rowName === undefined) return undefined;
      const row = rpc(rowName);
      context.needs(await context.call(row, await this.request(row, subject)));
      return this.current(subject);
    },
    async effectOn(row, before) {
      if (before.kind === "oauth_login_request") return { visible: false, seen: "nothing shows it" };
      const now = await this.current(before);
      if (now === undefined) return { visible: true, seen: `the ${before.kind} is gone` };
      if (before.changesOnlyByMutation) {
        const seen = `before ${showJson(before.record)}, after ${showJson(now.record)}`;
        return { visible: !isAsBefore("beta.v1", before, now.record), seen };
      }
      const state = textAt(now.record, "state");
      const touched = state === "RUN_STATE_CANCELING" || state === "RUN_STATE_CANCELED";
      return {
        visible: touched || (row.effect === Effect.DELETE && isOver(now.record)),
        seen: `the run is ${state}`,
      };
    },
    async countCreated(row, request) {
      const mark = distinguishingFieldOf(row);
      if (mark === undefined) return undefined;
      if (row.subject === "customer_user") {
        const read = rpc("beta.v1.CustomerUserService/GetCustomerUserGrant");
        const found = { requestId: requestId(), ...tenant(), externalUserId: request[mark] ?? null };
        return (await context.call(read, found)).outcome === "served" ? 1 : 0;
      }
      const list = listRowOf(row.subject, "beta.v1");
      if (list === undefined) return undefined;
      const { customerUserId } = request;
      const user: JsonObject = customerUserId === undefined ? {} : { customerUserId };
      const asked = { requestId: requestId(), ...tenant(), ...user };
      const { records } = await listAll(context, list, asked, { as: await this.credential(list) });
      return records.filter((record) => sameJson(record[mark], request[mark]) && !isTombstone(record)).length;
    },
    deleteOf(kind) {
      const row = deleteRowOf(kind, "beta.v1");
      if (row === undefined) throw new Error(`nothing deletes a ${kind}`);
      return row;
    },
    isTombstone: isTombstone,
    subjectIn(reply) {
      const record = recordIn(reply);
      // Who was asked for narrows what is asked next, whatever the reply says of him.
      const { customerUserId = record.customerUserId } = reply.request;
      const within = customerUserId === undefined || customerUserId === null ? {} : { within: { customerUserId } };
      return {
        kind: reply.row.subject,
        id: idIn(reply),
        record,
        version: versionOf(record),
        changesOnlyByMutation: true,
        ...within,
      };
    },
    undoCreated(reply, options) {
      const { workspaceId, appId } = reply.request;
      if (!isObject(idIn(reply)) || !isObject(workspaceId) || !isObject(appId)) return;
      const made = this.subjectIn(reply);
      const own = sameJson(workspaceId, ownTenantOf(context).workspaceId);
      context.undo((undoing) => {
        const tenant = own ? ownTenantOf(undoing) : otherTenantOf(undoing);
        return undoBeta(createBetaWorld(undoing, tenant), undoing, made, tenant);
      });
      void options;
    },
    credential: (row) => world().credential(row),
    async credentialOfKind(kind, row, subject) {
      switch (kind) {
        case CredentialKind.BROWSER_TOKEN:
          return world().token(browserScopes, subject);
        case CredentialKind.MCP_OAUTH_TOKEN: {
          // Where the row takes none, any will do to be refused.
          const tokens = target.beta.mcpTokens;
          const index = Math.max(
            tokens.findIndex(({ scopes }) => scopes.includes(row.scope)),
            0,
          );
          const found = needed(tokens[index], "beta.mcpTokens", "an MCP OAuth token");
          return { label: `beta mcp token ${index}`, token: found.token };
        }
        case CredentialKind.IDP_USER:
          return {
            label: "beta idp token",
            token: needed(
              target.beta.idpTokens.permitted,
              "beta.idpTokens.permitted",
              "a user of an identity provider",
            ),
          };
        default:
          return run.fullKey("beta.v1");
      }
    },
    async credentialOfKindWithoutScope(kind, row, subject) {
      switch (kind) {
        case CredentialKind.BROWSER_TOKEN:
          return world().token(
            browserScopes.filter((scope) => scope !== row.scope),
            subject,
          );
        case CredentialKind.MCP_OAUTH_TOKEN: {
          const index = target.beta.mcpTokens.findIndex(({ scopes }) => !scopes.includes(row.scope));
          const found = needed(
            target.beta.mcpTokens[index],
            "beta.mcpTokens",
            `an MCP OAuth token without ${row.scope}`,
          );
          return { label: `beta mcp token ${index}`, token: found.token };
        }
        default:
          return limited((scopes) => !scopes.includes(row.scope), `a key without ${row.scope}`);
      }
    },
    unpermittedUser: () => ({
      label: "beta unpermitted idp token",
      token: needed(target.beta.idpTokens.unpermitted, "beta.idpTokens.unpermitted", "a user without the permission"),
    }),
    async otherUser() {
      const inRun = <T>(what: string, make: (outer: CaseContext) => Promise<T>) =>
        run.once(`beta other user ${what}`, () => context.shared(make));
      const user = await inRun("", (outer) => createUser(outer, ownTenantOf(outer)));
      return {
        fields: { customerUserId: user.id },
        token: () => inRun("token", (outer) => mintToken(outer, ownTenantOf(outer), user, browserScopes)),
      };
    },
    async otherTenant(row) {
      const other = otherTenantOf(context);
      const theirs = createBetaWorld(context, other);
      const fields: JsonObject = { workspaceId: other.workspaceId, appId: other.appId };
      for (const { name: field, facts } of row.ids) {
        // The user a row is about is its subject, not part of where it is.
        if (facts.names === "customer_user" && row.subject !== "customer_user")
          fields[field] = (await theirs.user()).id;
        if (facts.names === "app_version") fields[field] = other.appVersionId;
        if (facts.names === "session" && row.effect === Effect.CREATE) fields[field] = (await theirs.session()).id;
      }
      return { key: await theirs.credential(row), tenant: fields };
    },
    keyWithScope: async (row) =>
      takesKey(row)
        ? limited(
            (scopes) => scopes.length === 1 && scopes[0] === row.scope,
            `a key that has ${row.scope} and no other scope`,
          )
        : world().token([row.scope]),
    keyWithoutScope: async (row) =>
      takesKey(row)
        ? limited((scopes) => !scopes.includes(row.scope), `a key without ${row.scope}`)
        : world().token(browserScopes.filter((scope) => scope !== row.scope)),
  };
}

/** How somebody else moves a kind's version on. */
const changes: Readonly<Record<string, string>> = {
  secret: "beta.v1.CustomerSecretService/RotateSecret",
  customer_user: "beta.v1.CustomerUserService/UpdateCustomerUserGrant",
  memory_item: "beta.v1.MemoryService/UpdateMemoryItem",
  memory_settings: "beta.v1.MemoryService/UpdateMemorySettings",
  webhook_endpoint: "beta.v1.WebhookService/UpdateWebhookEndpoint",
};
