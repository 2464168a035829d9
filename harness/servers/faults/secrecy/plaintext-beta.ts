import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import { forRpc, onRpc } from "../../reference/core/decoration.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

const issuing = rpcs.filter((row) => row.package === "beta.v1" && row.plaintext.length > 0);

/** The name of the field an issuing row gives its credential out in. */
const fieldOf = (row: RpcRow) => row.plaintext[0]?.name ?? "";

const idOf = (call: Call) => JSON.stringify(call.request.requestId ?? null);

/** What was given out first under each requestId, and how often it was asked for since. */
interface Given {
  readonly plaintext: JsonValue;
  readonly by: string;
  readonly at: number;
  times: number;
}

/** Gives the plaintext again in replays, where `again` says so. */
function repeating(row: RpcRow, again: (given: Given, call: Call) => boolean): BetaDecoration {
  const known = new Map<string, Given>();
  return {
    reply: forRpc(row.name, (json: JsonObject, call) => {
      const plaintext = json[fieldOf(row)];
      const given = known.get(idOf(call));
      const by = call.headers.authorization ?? "";
      if (given === undefined) {
        if (plaintext !== undefined) known.set(idOf(call), { plaintext, by, at: performance.now(), times: 1 });
        return json;
      }
      given.times += 1;
      return again(given, call) ? { ...json, [fieldOf(row)]: given.plaintext } : json;
    }),
  };
}

/** Every call is a new one. */
const forgetting = (row: RpcRow): BetaDecoration => ({
  parts: (parts) => ({ idempotent: onRpc(row.name, parts.idempotent, async (_context, effect) => await effect()) }),
});

/** A requestId counts as served only some time after it was. */
function notingLate(row: RpcRow): BetaDecoration {
  return {
    parts: (parts) => {
      const noted = new Set<string>();
      return {
        idempotent: onRpc(row.name, parts.idempotent, async (context, effect) => {
          const id = idOf(context.call);
          if (noted.has(id)) return await parts.idempotent(context, effect);
          await new Promise((resolve) => setTimeout(resolve, 20));
          noted.add(id);
          return await effect();
        }),
      };
    },
  };
}

type Kind = readonly [what: string, breaks: string, says: string, decorate: (row: RpcRow) => BetaDecoration];

const kinds: readonly Kind[] = [
  ["repeats-plaintext", "credentials.once", "gives the plaintext in every replay", (row) => repeating(row, () => true)],
  [
    "repeats-plaintext-once",
    "credentials.once",
    "gives the plaintext in the first replay too",
    (row) => repeating(row, ({ times }) => times === 2),
  ],
  [
    "repeats-plaintext-late",
    "credentials.once",
    "gives the plaintext again from the third replay on",
    (row) => repeating(row, ({ times }) => times > 3),
  ],
  [
    "repeats-plaintext-to-others",
    "credentials.once",
    "gives the plaintext to another credential that replays the call",
    (row) => ({
      ...repeating(row, ({ by }, call) => by !== call.headers.authorization),
      choices: { idempotencyAmong: "tenant, answering others" },
    }),
  ],
  ["issues-in-replays", "credentials.once", "issues a new credential in every replay", forgetting],
  ["issues-at-once", "credentials.once", "issues a credential to each of several calls that come at once", notingLate],
  [
    "gives-no-plaintext",
    "credentials.first",
    "never gives the plaintext",
    (row) => ({ reply: forRpc(row.name, ({ [fieldOf(row)]: _left, ...json }: JsonObject) => json) }),
  ],
  [
    "gives-one-to-all",
    "credentials.reissue",
    "gives the same plaintext in every first success",
    (row) => {
      let first: JsonValue | undefined;
      return {
        reply: forRpc(row.name, (json: JsonObject) => {
          if (json[fieldOf(row)] === undefined || json[fieldOf(row)] === "") return json;
          first ??= json[fieldOf(row)];
          return { ...json, [fieldOf(row)]: first ?? "" };
        }),
      };
    },
  ],
];

/** Faults that issue once more: a rotation is kept from that by its expected version. */
const issuingAgain = new Set(["issues-in-replays", "issues-at-once"]);

/** Each issuing row gets every kind. */
export const plaintextFaults: readonly Fault[] = issuing.flatMap((row) =>
  kinds
    .filter(([what]) => row.expectedVersion === undefined || !issuingAgain.has(what))
    .map(([what, breaks, says, decorate]) =>
      defineBetaFault({
        id: `secrecy/beta-${row.method}-${what}`,
        says: `${row.method} ${says}`,
        breaks: `beta.${breaks}`,
        rpc: row.name,
        decoration: decorate(row),
      }),
    ),
);

/** Gives the plaintext again once another call, which ends what it belongs to, was served. */
function repeatingAfter(row: RpcRow, end: string): BetaDecoration {
  let ended = false;
  const repeat = repeating(row, () => ended);
  return {
    reply(json, call) {
      if (call.rpc === end) ended = true;
      return repeat.reply?.(json, call);
    },
  };
}

const ends: readonly (readonly [method: string, end: string])[] = [
  ["IssueBrowserToken", "CustomerUserService/DeleteCustomerUser"],
  ["CreateVoiceConnectionTicket", "SessionService/DeleteSession"],
  ["CreateWebhookEndpoint", "WebhookService/DeleteWebhookEndpoint"],
  ["RotateWebhookSecret", "WebhookService/DeleteWebhookEndpoint"],
];

/** A replay is answered from memory whoever is gone since. */
function answeringFromMemory(row: RpcRow, end: string): BetaDecoration {
  const served = new Map<string, unknown>();
  const { reply } = repeatingAfter(row, `beta.v1.${end}`);
  return {
    ...(reply === undefined ? {} : { reply }),
    parts: (parts) => ({
      async pipeline(context, effect) {
        if (context.row.name !== row.name) return parts.pipeline(context, effect);
        const known = served.get(idOf(context.call));
        if (known !== undefined) return known as never;
        const made = await parts.pipeline(context, effect);
        served.set(idOf(context.call), made);
        return made;
      },
    }),
  };
}

export const afterlife: readonly Fault[] = ends.flatMap(([method, end]) =>
  issuing
    .filter((row) => row.method === method)
    .map((row) =>
      defineBetaFault({
        id: `secrecy/beta-${method}-plaintext-outlives-its-owner`,
        says: `${method} gives the plaintext in a replay after ${end.split("/")[1]}`,
        breaks: "beta.credentials.once",
        rpc: row.name,
        decoration: answeringFromMemory(row, end),
      }),
    ),
);

type Leak = readonly [from: string, to: string, clause: string, put: (json: JsonObject, text: string) => JsonObject];

/** What was given out stands in a reply of another RPC. */
function leaking(from: string, to: string, put: Leak[3]): BetaDecoration {
  const field = fieldOf(issuing.find((row) => row.name === `beta.v1.${from}`) ?? ({ plaintext: [] } as never));
  let latest = "";
  return {
    reply(json, call) {
      if (call.rpc === `beta.v1.${from}` && typeof json[field] === "string") latest = String(json[field]);
      return call.rpc === `beta.v1.${to}` && latest !== "" ? put(json, latest) : json;
    },
  };
}

const into =
  (record: string, field: string) =>
  (json: JsonObject, text: string): JsonObject => ({
    ...json,
    [record]: { ...(json[record] as JsonObject), [field]: text },
  });
const besides =
  (field: string, edit: (text: string) => string = (text) => text) =>
  (json: JsonObject, text: string): JsonObject => ({ ...json, [field]: edit(text) });
const base64 = (text: string) => Buffer.from(text).toString("base64");
const hex = (text: string) => Buffer.from(text).toString("hex");

const issue = "CustomerUserService/IssueBrowserToken";
const ticket = "SessionService/CreateVoiceConnectionTicket";
const [create, rotate] = ["WebhookService/CreateWebhookEndpoint", "WebhookService/RotateWebhookSecret"];

const leaks: readonly Leak[] = [
  [issue, "CustomerUserService/GetCustomerUserGrant", "credentials.elsewhere", into("customerUserGrant", "token")],
  [issue, "CustomerUserService/UpdateCustomerUserGrant", "credentials.elsewhere", besides("tokens", base64)],
  [issue, "CustomerUserService/DeleteCustomerUser", "credentials.elsewhere", besides("ended", hex)],
  [issue, "SessionService/ListSessions", "credentials.elsewhere", besides("caller")],
  [ticket, "SessionService/GetSession", "credentials.elsewhere", into("session", "ticket")],
  [ticket, "SessionService/ListSessions", "credentials.elsewhere", besides("voice", base64)],
  [ticket, "SessionService/DeleteSession", "credentials.elsewhere", into("session", "ticket")],
  [create, "WebhookService/GetWebhookEndpoint", "webhooks.secret-elsewhere", into("webhookEndpoint", "signingSecret")],
  [create, "WebhookService/ListWebhookEndpoints", "webhooks.secret-elsewhere", besides("secrets", hex)],
  [create, "WebhookService/UpdateWebhookEndpoint", "webhooks.secret-elsewhere", into("webhookEndpoint", "secret")],
  [rotate, "WebhookService/GetWebhookEndpoint", "webhooks.secret-elsewhere", besides("previousSecret", base64)],
  [rotate, "WebhookService/DeleteWebhookEndpoint", "webhooks.secret-elsewhere", into("webhookEndpoint", "secret")],
];

export const elsewhere: readonly Fault[] = leaks.map(([from, to, clause, put]) =>
  defineBetaFault({
    id: `secrecy/beta-${to.split("/")[1]}-shows-what-${from.split("/")[1]}-gave`,
    says: `${to.split("/")[1]} shows the credential that ${from.split("/")[1]} gave out`,
    breaks: `beta.${clause}`,
    rpc: `beta.v1.${to}`,
    decoration: leaking(from, to, put),
  }),
);
