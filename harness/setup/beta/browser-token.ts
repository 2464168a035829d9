import type { JsonObject } from "@bufbuild/protobuf";
import { CredentialKind, Effect, type RpcRow, rpc, rpcs } from "../../../proto/rpcs.ts";
import type { CallOptions } from "../../case/call.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import type { Credential } from "../../wire/client.ts";
import { listAt, textAt } from "../../wire/json.ts";
import { describeReply, type Reply } from "../../wire/reply.ts";
import { sentFrom } from "./customer-user.ts";

/** Makes a customer user whose grant differs from the usual one in `changes`. */
export async function grantUser(context: CaseContext, changes: JsonObject = {}): Promise<Subject> {
  const row = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");
  const reply = await context.call(row, { ...(await context.setup.request(row, undefined)), ...changes });
  context.needs(reply);
  return context.setup.subjectIn(reply);
}

/** Asks for a browser token for a user. What is given out is guarded from then on. */
export async function askToken(context: CaseContext, user: Subject, changes: JsonObject = {}): Promise<Reply> {
  const row = rpc("beta.v1.CustomerUserService/IssueBrowserToken");
  const request = { ...(await context.setup.request(row, undefined)), customerUserId: user.id, ...changes };
  const reply = await context.call(row, request);
  const token = tokenIn(reply);
  if (token !== undefined) context.run.secrets.register(token.token, "a browser token", "issued credential");
  return reply;
}

/** The token in a reply; undefined where the call was refused. */
export function tokenIn(reply: Reply): Credential | undefined {
  const token = reply.outcome === "served" ? textAt(reply.json, "token") : "";
  if (token === "") return undefined;
  const [origin] = listAt(reply.request, "origins");
  return { label: "beta browser token", token, ...(typeof origin === "string" && sentFrom(origin)) };
}

/** A token that must be had, with these scopes. */
export async function issuedToken(
  context: CaseContext,
  user: Subject,
  scopes: readonly string[],
  more: JsonObject = {},
): Promise<Credential> {
  const reply = await askToken(context, user, { scopes: [...scopes], ...more });
  const token = tokenIn(reply);
  if (token === undefined) throw new Unproven(`needs a browser token; ${reply.row.name} was ${describeReply(reply)}`);
  return token;
}

const probeEffects: readonly Effect[] = [Effect.READ, Effect.LIST, Effect.CREATE];
const probeIds = new Set(["workspace", "app", "app_version", "customer_user"]);

/** A row that any token with its scope is served by: it names nothing but the user. */
const isProbe = (row: RpcRow) =>
  row.credentials.includes(CredentialKind.BROWSER_TOKEN) &&
  probeEffects.includes(row.effect) &&
  row.ids.every((id) => probeIds.has(id.facts.names));

/** By scope, the RPC that shows whether a browser token has it. */
export const probes: ReadonlyMap<string, RpcRow> = new Map(
  rpcs.filter(isProbe).map((row) => [row.scope, row] as const),
);

/** Calls the RPC that shows whether a token has a scope, as a user. */
export async function probe(
  context: CaseContext,
  user: Subject,
  scope: string,
  as: Credential,
  options: CallOptions = {},
): Promise<Reply> {
  const row = probes.get(scope);
  if (row === undefined) throw new Error(`no RPC shows whether a token has ${scope}`);
  const request = { ...(await context.setup.request(row, undefined)), customerUserId: user.id };
  return context.call(row, request, { ...options, as });
}
