import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { CredentialKind, type RpcRow } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import { forRpc, type WireHooks } from "../../reference/core/decoration.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import { inReply, onReply } from "../edit.ts";
import { type Fault, type RowOf, rowsOf } from "../fault.ts";
import { answeringBeforeChecks, forgetting, requestIdOf } from "../idempotency/replays.ts";
import { replacing } from "../steps.ts";
import { faultsAt, faultsOf } from "../table.ts";
import { drop, without } from "../values.ts";

export const issuing = rowsOf("beta.v1").filter((row) => row.plaintext.length > 0);

/** The name of the field an issuing row gives its credential out in. */
const fieldOf = (row: RpcRow) => row.plaintext[0]?.name ?? "";

/** What was given out first under a requestId, when and to whom, and how often it was asked for since. */
interface Issued {
  readonly plaintext: JsonValue;
  readonly at: number;
  readonly to: string;
  times: number;
}

/** Gives the plaintext again in replays, where `again` says so of what was given out first, the replay and its reply. */
export function repeating(again: (issued: Issued, call: Call, reply: JsonObject) => boolean) {
  return (row: RpcRow): WireHooks => {
    const known = new Map<string, Issued>();
    return {
      reply: forRpc(row.name, (json: JsonObject, call) => {
        const id = JSON.stringify(call.request.requestId ?? null);
        const plaintext = json[fieldOf(row)];
        const issued = known.get(id);
        if (issued === undefined) {
          const to = call.headers.authorization ?? "";
          if (plaintext !== undefined) known.set(id, { plaintext, at: performance.now(), to, times: 1 });
          return json;
        }
        issued.times += 1;
        return again(issued, call, json) ? { ...json, [fieldOf(row)]: issued.plaintext } : json;
      }),
    };
  };
}

/** Takes a requestId for served only some time after it was. */
const notingLate = replacing((parts) => {
  const noted = new Set<string>();
  return {
    async idempotent(context, effect) {
      const id = requestIdOf(context);
      if (noted.has(id)) return await parts.idempotent(context, effect);
      await new Promise((resolve) => setTimeout(resolve, 20));
      noted.add(id);
      return await effect();
    },
  };
});

/** Gives the first plaintext in every first success. */
function repeatingFirst(row: RpcRow): WireHooks {
  let first: JsonValue | undefined;
  return {
    reply: forRpc(row.name, (json: JsonObject) => {
      const plaintext = json[fieldOf(row)];
      if (plaintext === undefined || plaintext === "") return json;
      first ??= plaintext;
      return { ...json, [fieldOf(row)]: first };
    }),
  };
}

type Kind = readonly [what: string, breaks: string, says: string, decorate: (row: RowOf<"beta.v1">) => BetaDecoration];

const kinds: readonly Kind[] = [
  ["repeats-plaintext", "*.credentials.once", "gives the plaintext in every replay", repeating(() => true)],
  [
    "repeats-plaintext-once",
    "*.credentials.once",
    "gives the plaintext in the first replay too",
    repeating(({ times }) => times === 2),
  ],
  [
    "repeats-plaintext-late",
    "*.credentials.once",
    "gives the plaintext again from the third replay on",
    repeating(({ times }) => times > 3),
  ],
  [
    "repeats-plaintext-to-others",
    "*.credentials.once",
    "gives the plaintext to another credential that replays the call",
    (row) => ({
      ...repeating(({ to }, call) => to !== call.headers.authorization)(row),
      choices: { idempotencyAmong: "tenant, answering others" },
    }),
  ],
  [
    "gives-no-plaintext",
    "*.credentials.first",
    "never gives the plaintext",
    (row) => onReply((json) => without(json, fieldOf(row)))(row),
  ],
  ["gives-one-to-all", "*.credentials.reissue", "gives the same plaintext in every first success", repeatingFirst],
];

/** Kinds that issue once more: a rotation is kept from that by its expected version. */
const issuingAgain: readonly Kind[] = [
  ["issues-in-replays", "*.credentials.once", "issues a new credential in every replay", forgetting],
  [
    "issues-at-once",
    "*.credentials.once",
    "issues a credential to each of several calls that come at once",
    notingLate,
  ],
];

const unconditional = issuing.filter((row) => row.expectedVersion === undefined);

/** Each issuing row gets every kind. */
export const plaintextFaults: readonly Fault[] = [
  ...kinds.map((kind) => [kind, issuing] as const),
  ...issuingAgain.map((kind) => [kind, unconditional] as const),
].flatMap(([[what, breaks, says, decorate], rows]) =>
  faultsAt(rows, { id: `secrecy/${what}`, says, breaks, decorate }),
);

const isIdpUser = ({ principal }: Call) => principal?.kind === CredentialKind.IDP_USER;

const takingIdpUsers = issuing.filter((row) => row.credentials.includes(CredentialKind.IDP_USER));

export const repeatedToIdpUsers: readonly Fault[] = faultsAt(takingIdpUsers, {
  id: "secrecy/repeats-plaintext-to-idp-users",
  says: "gives the plaintext in replays of users of an identity provider",
  breaks: "*.credentials.once",
  decorate: repeating((_issued, call) => isIdpUser(call)),
});

export const keptFromIdpUsers: readonly Fault[] = faultsAt(takingIdpUsers, {
  id: "secrecy/gives-idp-users-no-plaintext",
  says: "gives users of an identity provider no plaintext",
  breaks: "*.credentials.first",
  decorate: (row) => onReply((json, call) => (isIdpUser(call) ? without(json, fieldOf(row)) : json))(row),
});

/** Answers replays from memory whoever is gone since, with the plaintext once the owner of the credential is. */
const outliving =
  (end: string) =>
  (row: RpcRow): BetaDecoration => {
    let ended = false;
    const repeat = repeating(() => ended)(row);
    return {
      ...answeringBeforeChecks(row),
      reply(json, call) {
        if (call.rpc === end) ended = true;
        return repeat.reply?.(json, call);
      },
    };
  };

const ends = {
  IssueBrowserToken: "CustomerUserService/DeleteCustomerUser",
  CreateVoiceConnectionTicket: "SessionService/DeleteSession",
  CreateWebhookEndpoint: "WebhookService/DeleteWebhookEndpoint",
  RotateWebhookSecret: "WebhookService/DeleteWebhookEndpoint",
};

export const outlivedPlaintext: readonly Fault[] = Object.entries(ends).flatMap(([method, end]) =>
  faultsAt(
    issuing.filter((row) => row.method === method),
    {
      id: "secrecy/plaintext-outlives-its-owner",
      says: `gives the plaintext in a replay after ${end.split("/")[1]}`,
      breaks: "*.credentials.once",
      decorate: outliving(`beta.v1.${end}`),
    },
  ),
);

export const tokenMissing: readonly Fault[] = faultsOf("secrecy", "beta.v1", {
  "*.credentials.first": { "IssueBrowserToken-gives-none": ["gives no token", inReply("token", drop)] },
});
