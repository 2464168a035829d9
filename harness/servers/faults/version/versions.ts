import type { Message } from "@bufbuild/protobuf";
import { ApprovalDecision } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { recordFields } from "../../../../proto/resources.ts";
import { Change, CredentialKind, Effect, type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import type { Context, Handler } from "../../reference/core/context.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { readField } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { versionOf } from "../../reference/core/subject.ts";
import { changedReply, inReply, onReply } from "../edit.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { recordIn, replacing, store, wrapping } from "../steps.ts";
import { faultsAt, faultsOf } from "../table.ts";
import { drop } from "../values.ts";
import { conditional, isMismatch } from "./comparisons.ts";

const betaRows = rowsOf("beta.v1");

/** Mutates, and leaves the record at the version it had. */
export const keepingVersion = wrapping((next) => async (context, request) => {
  const before = context.subject;
  const reply = await next(context, request);
  const record = recordIn(context, reply);
  if (record === undefined || before === undefined) return reply;
  store(context, Object.assign(record, { resourceVersion: versionOf(before) }));
  return reply;
});

/** Where the version does not move, the one before the change is taken, and two records differ at one version. */
export const entailedByStanding = ["*.versioning.expected", "*.records.agree"];

const advancing = ["secret", "webhook_endpoint", "artifact", "customer_user", "memory_item"];

/** Rejects an approval, and leaves it at the version it had; an approved one moves. */
const keepingRejected = wrapping((next) => async (context, request) => {
  const before = context.subject;
  const reply = await next(context, request);
  const record = recordIn(context, reply);
  const isRejection = readField(request, "decision") === ApprovalDecision.REJECT;
  if (!isRejection || record === undefined || before === undefined) return reply;
  store(context, Object.assign(record, { resourceVersion: versionOf(before) }));
  return reply;
});

export const standingVersions: readonly Fault[] = [
  ...faultsAt(
    conditional.filter((row) => row.effect === Effect.UPDATE && advancing.includes(row.subject)),
    {
      id: "version/does-not-advance",
      says: "leaves the version as it was",
      breaks: "*.versioning.advances",
      entails: entailedByStanding,
      decorate: keepingVersion,
    },
  ),
  ...faultsAt([rpc("beta.v1.ApprovalService/DecideApproval")], {
    id: "version/rejection-keeps-the-version",
    says: "leaves the version of an approval as it was where it is rejected",
    breaks: "*.versioning.advances",
    entails: entailedByStanding,
    decorate: keepingRejected,
  }),
];

/** The check and the effect with something in between: a race. */
export const earlyChecks: readonly Fault[] = faultsAt(
  conditional
    .filter((row) => row.effect === Effect.UPDATE && row.change !== Change.CANCELS)
    // What was uploaded is checked behind the reply, as it is: the race is another.
    .filter((row) => row.change !== Change.COMPLETES || row.resource === undefined),
  {
    id: "version/checks-too-early",
    says: "checks the version some time before it acts",
    breaks: "*.versioning.one-winner",
    decorate: wrapping((next) => async (context, request) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return next(context, request);
    }),
  },
);

export const wrongReasons: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/RotateSecret",
    "beta.v1.CustomerSecretService/RotateSecret",
    "beta.v1.MemoryService/DeleteAllMemory",
    "beta.v1.SessionService/DeleteSession",
  ].map(rpc),
  {
    id: "version/wrong-reason",
    says: "refuses a version mismatch for another reason",
    breaks: "*.versioning.reason",
    decorate: replacing(() => ({
      checkVersion(context) {
        if (isMismatch(context)) refuse("RESOURCE_NOT_FOUND", "no such thing");
      },
    })),
  },
);

/** Refuses what it refuses only once it has acted, on records in some state. */
export const actingBeforeRefusing = (isSo: (subject: Message) => boolean) =>
  replacing((parts) => ({
    async pipeline(context, effect) {
      try {
        return await parts.pipeline(context, effect);
      } catch (refusal) {
        if (context.subject !== undefined && isSo(context.subject)) await effect();
        throw refusal;
      }
    },
  }));

/** A stale call is refused only once it has taken effect. */
export const lateChecks: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/DeleteSecret",
    "beta.v1.MemoryService/DeleteMemoryItem",
    "beta.v1.MemoryService/UpdateMemorySettings",
    "beta.v1.CustomerUserService/RevokeCustomerUserGrant",
  ].map(rpc),
  {
    id: "version/acts-before-it-refuses",
    says: "refuses a stale version after it has acted",
    breaks: "*.versioning.expected",
    decorate: actingBeforeRefusing(() => true),
  },
);

/** The id a record is stored under: its own, or, of settings, their user's. */
export function idOf(row: RpcRow, record: Message): string {
  const id = readField(record, row.subject === "memory_settings" ? "customerUserId" : recordFields(row).id);
  return (id as { readonly value: string } | undefined)?.value ?? "";
}

const moving =
  (next: Handler): Handler =>
  async (context, request) => {
    const { row, world } = context;
    const reply = (await next(context, request)) as Message;
    const shown = readField(reply, (row.record ?? row.list)?.field.localName ?? "");
    for (const record of [shown].flat() as (Message | undefined)[]) {
      if (record !== undefined) world.tables[row.subject]?.change(idOf(row, record), {});
    }
    return reply;
  };

/** Moves the version of whatever it shows. */
export const movingVersion = wrapping(moving);

/** The same, for browser tokens alone. */
const movingForTokens = wrapping((next) => {
  const moved = moving(next);
  const isToken = ({ principal }: Context) => principal?.kind === CredentialKind.BROWSER_TOKEN;
  return (context, request) => (isToken(context) ? moved : next)(context, request);
});

/** Shows a version more with each reading. */
function countingReads(row: RpcRow): WireHooks {
  let read = 0n;
  return changedReply(row.name, `${row.record?.name}.resourceVersion`, (version) => {
    read += 1n;
    return String(BigInt(String(version)) + read);
  });
}

const stored = new Set(["secret", "session", "customer_user", "memory_settings", "webhook_endpoint"]);

const movesForTokens = [
  "changes the version it reads, where a browser token reads it",
  movingForTokens,
  { entails: ["*.versioning.carried"] },
] as const;

/** Reading counts as a change. */
export const movingReads: readonly Fault[] = [
  ...faultsOf("version", "alpha.v1", {
    "*.versioning.reads-keep": {
      "GetWebhookEndpoint-moves-version": [
        "changes the version it reads",
        movingVersion,
        { entails: ["*.versioning.carried"] },
      ],
    },
  }),
  ...faultsOf("version", "beta.v1", {
    "*.versioning.reads-keep": {
      "GetMemorySettings-moves-version-for-browser-tokens": movesForTokens,
      "GetSecret-moves-version-for-browser-tokens": movesForTokens,
    },
  }),
  ...faultsAt(
    betaRows.filter((row) => row.effect === Effect.READ && row.record !== undefined && stored.has(row.subject)),
    {
      id: "version/moves-version",
      says: "changes the version it reads",
      breaks: "*.versioning.reads-keep",
      // The version it shows is no longer the one that a mutation has to expect.
      entails: ["*.versioning.carried"],
      decorate: countingReads,
    },
  ),
];

/** The reply of a mutation carries no version. */
export const missingVersions: readonly Fault[] = faultsAt(
  [
    rpc("alpha.v1.WebhookService/UpdateWebhookEndpoint"),
    ...betaRows.filter((row) => row.effect === Effect.UPDATE && row.record !== undefined && stored.has(row.subject)),
  ],
  {
    id: "version/reply-without-version",
    says: "carries no version in its reply",
    breaks: "*.versioning.carried",
    decorate: (row) => changedReply(row.name, `${row.record?.name}.resourceVersion`, drop),
  },
);

export const deletionVersions: readonly Fault[] = faultsOf("version", "beta.v1", {
  "*.versioning.deletion": {
    "DeleteCustomerUser-returns-no-version": [
      "does not return the version of the deletion",
      inReply("deletionResourceVersion", drop),
    ],
  },
  "*.versioning.advances": {
    "DeleteCustomerUser-returns-the-version-before": [
      "returns the version the user had before the deletion",
      onReply((json, { request }) => ({
        ...json,
        deletionResourceVersion: request.expectedResourceVersion ?? null,
      })),
    ],
  },
});
