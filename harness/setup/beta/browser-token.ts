import type { JsonObject } from "@bufbuild/protobuf";
import { CredentialKind, Effect, type RpcRow, rpc, rpcs } from "../../../proto/rpcs.ts";
import type { CallOptions } from "../../case/call.ts";
import type { CaseContext } from "../../case/context.ts";
import { orUndefined } from "../../case/or-undefined.ts";
import type { Issuance } from "../../case/run.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { ChosenOtherwise } from "../../target/target.ts";
import { sentAt } from "../../wire/exchange.ts";
import { instantOf, isDefault, listAt, textAt } from "../../wire/json.ts";
import { inMilliseconds } from "../../wire/nanoseconds.ts";
import { describeReply, mayBeRefusedForState, type Reply } from "../../wire/reply.ts";
import type { Credential } from "../../wire/request.ts";
import { goodUntil } from "../good-until.ts";
import type { Place } from "../package.ts";
import { createTimed } from "../record-clock.ts";
import { browserScopes, sharedUser } from "./customer-user.ts";

const issueRow = rpc("beta.v1.CustomerUserService/IssueBrowserToken");

/** Lifetimes to ask for, in seconds. The shortest and longest are not shown: another is asked for where one is refused. */
const lifetimes = [3600, 600, 120, 60, 86_400];

/** The lifetime that requests of cases ask for, in seconds: the first of these that the target grants. */
const usualLifetimes = [600, 3600, 60, 86_400];

/** How long a token is asked for where a case does not care, in seconds: so long as the target has issued one for. */
export async function usualLifetime(context: CaseContext): Promise<number> {
  const [first = 600] = usualLifetimes;
  return context.run.once("beta usual token lifetime", () =>
    context.shared(async (outer) => {
      const user = await outer.setup.fresh("customer_user");
      for (const lifetimeSeconds of usualLifetimes) {
        if ((await askToken(outer, user, { lifetimeSeconds })).outcome !== "refused") return lifetimeSeconds;
      }
      // Where each is refused, the cases show it.
      return first;
    }),
  );
}

/** Asks for a browser token for a user. What is given out is guarded from then on. */
export async function askToken(
  context: CaseContext,
  user: Pick<Subject, "id">,
  changes: JsonObject = {},
  options: CallOptions = {},
): Promise<Reply> {
  const request = await context.setup.request(issueRow, undefined, { customerUserId: user.id, ...changes });
  return askAsIs(context, request, options);
}

/** The same with a request of its own, which may leave fields out. */
export async function askAsIs(context: CaseContext, request: JsonObject, options: CallOptions = {}): Promise<Reply> {
  const { call, run } = context;
  const reply = await call(issueRow, request, options);
  const token = tokenIn(reply);
  if (token !== undefined) run.secrets.register(token.token, "a browser token", "issued credential");
  return reply;
}

/** The token in a reply; undefined where the call was refused. */
export function tokenIn(reply: Reply): Credential | undefined {
  const token = reply.outcome === "served" ? textAt(reply.json, "token") : "";
  if (token === "") return undefined;
  const [origin] = listAt(reply.request, "origins");
  return { label: "beta browser token", token, ...(typeof origin === "string" && sentFrom(origin)) };
}

/** What a browser at an origin, scheme://host:port, says it sends from: it leaves a scheme's usual port out. */
function sentFrom(origin: string): { readonly origin?: string } {
  return URL.canParse(origin) ? { origin: new URL(origin).origin } : {};
}

/** A token that is asked for a short life, in seconds, and one that lives longer than this, in milliseconds, is no short one. */
const shortLifetime = 2;
const maxShortMs = 10_000;

/** A token that soon expires, and how long it has left, in milliseconds, since it was issued. */
export interface ShortToken {
  readonly issued: Reply;
  readonly token: Credential;
  readonly leftMs: number;
}

/**
 * A token that expires within ten seconds; undefined where the target issues none: how short a lifetime may be is not
 * shown. Throws Unproven where it does not say when it expires.
 */
export async function shortToken(
  context: CaseContext,
  user: Pick<Subject, "id">,
  scopes: readonly string[],
): Promise<ShortToken | undefined> {
  const issued = await askToken(context, user, { scopes: [...scopes], lifetimeSeconds: shortLifetime });
  if (issued.outcome === "refused") return undefined;
  const expires = instantOf(context.needs(issued).expiresAt);
  const token = tokenIn(issued);
  if (token === undefined || expires === undefined)
    throw new Unproven("needs a browser token that says when it expires");
  // By the server's own clock, where it says what that is.
  const madeMs = sentAt(issued.exchange.response) ?? issued.exchange.startedAt;
  // A server whose clock is behind ours still gives it two seconds.
  const leftMs = Math.max(1000 * shortLifetime, inMilliseconds(expires) - madeMs);
  return leftMs > maxShortMs ? undefined : { issued, token, leftMs };
}

/** A token that must be had, with these scopes; else the case is unproven. */
export async function issuedToken(
  context: CaseContext,
  user: Subject,
  scopes: readonly string[],
  more: JsonObject = {},
): Promise<Credential> {
  return mustHave(await askToken(context, user, { scopes: [...scopes], ...more }));
}

function mustHave(reply: Reply): Credential {
  const token = tokenIn(reply);
  if (token === undefined) throw new Unproven(`needs a browser token; ${reply.row.name} was ${describeReply(reply)}`);
  return token;
}

/** What lasts shorter than this, in milliseconds, may be over by a clock that is ahead of that of the `Date` header. */
const shortMs = 120_000;

/** By how many milliseconds the clock that dates the target's records is ahead of ours: looked at once in a run. */
function recordsAheadMs(context: CaseContext): Promise<number> {
  return context.run.once("beta clock of records", () =>
    context.shared(async ({ setup }) => (await createTimed(() => orUndefined(setup.fresh("customer_user")))).aheadMs),
  );
}

/** Issues a token with these scopes that lasts as long as can be had. Its label tells its tenant and what it may do. */
export async function mintToken(
  context: CaseContext,
  tenant: string,
  user: Pick<Subject, "id"> & Partial<Pick<Subject, "record">>,
  scopes: readonly string[] = browserScopes,
): Promise<Issuance> {
  const { needs, run, setup } = context;
  let reply: Reply | undefined;
  for (const lifetimeSeconds of lifetimes) {
    if (reply !== undefined && reply.outcome !== "refused") break;
    const fields = { customerUserId: user.id, scopes: [...scopes], lifetimeSeconds };
    reply = await context.call(issueRow, await setup.request(issueRow, undefined, fields));
  }
  if (reply === undefined) throw new Error("no browser token was asked for");
  if (!isDefault(user.record?.revokedAt) && mayBeRefusedForState(reply))
    throw new ChosenOtherwise("no browser token is issued for a grant that was revoked");
  needs(reply);
  const token = mustHave(reply);
  const label = `beta browser token (${tenant}, ${scopes.length === browserScopes.length ? "all scopes" : scopes.join(" ")})`;
  run.secrets.register(token.token, label, "issued credential");
  const until = goodUntil(reply);
  const isShort = until !== undefined && until - Date.now() < shortMs;
  return { credential: { ...token, label }, until: isShort ? goodUntil(reply, await recordsAheadMs(context)) : until };
}

/** A token with these scopes, of the place's shared user or of the subject's own; shared. */
export async function sharedToken(
  place: Place,
  scopes: readonly string[] = browserScopes,
  subject?: Subject,
): Promise<Credential> {
  const { context } = place;
  const { label, turns } = place.tenant();
  const id = subject?.within?.customerUserId ?? (await sharedUser(place)).id;
  const user = JSON.stringify(id);
  const owner = subject?.kind === "customer_user" ? { id, record: subject.record } : { id };
  const { run } = context;
  const mint = () => context.shared((outer) => mintToken(outer, label, owner, scopes));
  return run.once(`beta ${label} token ${user} ${scopes.join(" ")}`, () =>
    turns === undefined ? run.renewals.issue(mint) : turns.issue(user, async () => (await mint()).credential),
  );
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
  { call, setup }: CaseContext,
  user: Subject,
  scope: string,
  as: Credential,
  options: CallOptions = {},
): Promise<Reply> {
  const row = probes.get(scope);
  if (row === undefined) throw new Error(`no RPC shows whether a token has ${scope}`);
  return call(row, await setup.request(row, undefined, { customerUserId: user.id }), { ...options, as });
}
