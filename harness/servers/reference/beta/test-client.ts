import { onTestFinished } from "vitest";
import { scopesOf } from "../core/keys.ts";
import { type BetaReference, type BetaReferenceOptions, startBetaReference } from "../main.ts";
import { type Caller, createCaller, eventually, type Fields, type Json, text } from "../test-client.ts";

export type Id = { readonly value: string };

/** A plain client of one beta reference, for unit tests. */
export interface BetaClient extends Caller {
  readonly reference: BetaReference;
  readonly appVersionId: Id;
  /** Grants a new customer user, with every scope for its browser tokens. */
  grant(fields?: Fields): Promise<Json>;
  /** A browser token of a user. */
  token(customerUserId: Json, scopes?: readonly string[], fields?: Fields): Promise<string>;
  /** A new user with a session and a browser token with every scope. */
  user(): Promise<{ customerUserId: Json; sessionId: Json; token: string }>;
  /** Starts a run of a session with an input. */
  run(owner: { customerUserId: Json; sessionId: Json }, input: string): Promise<Json>;
  /** The run once it is in one of the states, named without their prefix. */
  reach(run: Json, ...states: string[]): Promise<Json>;
}

let users = 0;

/** The ids of a record that its reads take. */
export function own(record: Json): Fields {
  return { customerUserId: record.customerUserId };
}

export async function startBetaClient(options: BetaReferenceOptions = {}): Promise<BetaClient> {
  const reference = await startBetaReference({ seed: 7, ...options });
  onTestFinished(() => reference.close());
  const { facts } = reference;
  const caller = createCaller({
    address: () => `${reference.baseUrl}/beta.v1.`,
    token: facts.backendKeys.all.token,
    common: { workspaceId: { value: facts.workspaceId }, appId: { value: facts.appId } },
  });
  const appVersionId = { value: facts.appVersionIds[0] ?? "" };
  const scopes = scopesOf("beta.v1");
  const client: BetaClient = {
    ...caller,
    reference,
    appVersionId,
    async grant(fields = {}) {
      const { json } = await caller.call("CustomerUserService/CreateCustomerUserGrant", {
        externalUserId: `user-${++users}`,
        attributesJson: Buffer.from('{"plan":"basic"}').toString("base64"),
        allowedToolIds: facts.toolIds.map((value) => ({ value })),
        registeredOrigins: [facts.browserOrigin],
        allowedBrowserTokenScopes: scopes,
        ...fields,
      });
      return json.customerUserGrant as Json;
    },
    async token(customerUserId, asked = scopes, fields = {}) {
      const { json } = await caller.call("CustomerUserService/IssueBrowserToken", {
        customerUserId,
        scopes: asked,
        lifetimeSeconds: 600,
        ...fields,
      });
      return text(json.token);
    },
    async user() {
      const customerUserId = (await client.grant()).customerUserId as Json;
      const { json } = await caller.call("SessionService/CreateSession", { customerUserId, appVersionId });
      return { customerUserId, sessionId: json.session?.sessionId as Json, token: await client.token(customerUserId) };
    },
    async run({ customerUserId, sessionId }, input) {
      const request = { customerUserId, sessionId, appVersionId, input: { text: input } };
      return (await caller.call("RunService/CreateRun", request)).json.run as Json;
    },
    async reach(run, ...states) {
      const get = async () =>
        (await caller.call("RunService/GetRun", { ...own(run), runId: run.runId })).json.run as Json;
      return await eventually(get, ({ state }) => states.includes(text(state).replace("RUN_STATE_", "")));
    },
  };
  return client;
}
