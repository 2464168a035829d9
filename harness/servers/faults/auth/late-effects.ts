import { distinguishingFieldOf, listRowOf, readRowOf, subjectFieldOf } from "../../../../proto/resources.ts";
import { Effect, isReadOnly, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { inBackground } from "../../reference/core/background.ts";
import type { Context, Handler, Reply } from "../../reference/core/context.ts";
import type { Fault } from "../fault.ts";
import { entryNamed, isolationClause, ofUsers } from "../isolation/tenants.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { conditional, isMismatch } from "../version/comparisons.ts";
import { anyCaller } from "./credentials.ts";

/** How long after its refusal a call takes effect, in milliseconds: as a queue is worked off that was filled before the check. */
const lateMs = 900;

type Effected = () => ReturnType<Handler>;

/** Does what was refused, if what it is about is there still. */
async function act(context: Context, effect: Effected): Promise<void> {
  try {
    const entry = entryNamed(context);
    if (entry?.deleted === true) return;
    context.subject = entry?.record ?? context.subject;
    context.principal ??= anyCaller(context);
    await effect();
  } catch {
    // What cannot be done any more is left alone.
  }
}

/** Refuses what it should, and does it all the same a moment later where the refusal `isLate`. */
const actingLater = (isLate: (context: Context) => boolean) =>
  replacing((parts) => ({
    async pipeline(context, effect): Promise<Reply> {
      try {
        return await parts.pipeline(context, effect);
      } catch (refused) {
        if (isLate(context)) context.world.clock.after(lateMs, () => inBackground(act(context, effect)));
        throw refused;
      }
    },
  }));

const lacksScope = ({ principal, row }: Context) => principal !== undefined && !principal.scopes.has(row.scope);

/** Whether the call names a record that is another tenant's than it says. */
function isElsewhere(context: Context): boolean {
  const entry = entryNamed(context);
  const { workspaceId } = context.principal ?? { workspaceId: context.workspaceId };
  const owner = entry?.tenant.workspaceId ?? context.workspaceId;
  return owner !== workspaceId || (entry !== undefined && owner !== context.tenant.workspaceId);
}

/** Whether something shows what such a call did to its subject. */
const isSeen = (row: RpcRow) =>
  readRowOf(row.subject, row.package) !== undefined || listRowOf(row.subject, row.package) !== undefined;

const stale = conditional.filter(isSeen);
const onSubjects = stale.filter((row) => subjectFieldOf(row) !== undefined);
const creating = rpcs.filter(
  (row) => row.effect === Effect.CREATE && !isReadOnly(row) && distinguishingFieldOf(row) !== undefined,
);

export const staleActsLater: readonly Fault[] = faultsAt(stale, {
  id: "auth/acts-later-at-a-version-it-refused",
  says: "refuses another version than the current one, and does what was asked a moment later",
  breaks: "*.versioning.expected",
  decorate: actingLater(isMismatch),
});

/** Each row gets one of these, so that each is seen in many places. */
const others = [...onSubjects, ...creating];

export const unscopedActsLater: readonly Fault[] = faultsAt(
  others.filter((_, index) => index % 3 === 0),
  {
    id: "auth/acts-later-without-scope",
    says: "refuses a key without its scope, and does what was asked a moment later",
    breaks: "*.auth.scope",
    decorate: actingLater(lacksScope),
  },
);

export const anonymousActsLater: readonly Fault[] = faultsAt(
  others.filter((_, index) => index % 3 === 1),
  {
    id: "auth/acts-later-for-nobody",
    says: "refuses a call without a credential, and does what was asked a moment later",
    breaks: "*.auth.required",
    decorate: actingLater(({ call }) => (call.headers.authorization ?? "") === ""),
  },
);

export const foreignActsLater: readonly Fault[] = faultsAt(
  others.filter((_, index) => index % 3 === 2),
  {
    id: "auth/acts-later-for-another-workspace",
    says: "refuses another workspace's key, and does what was asked a moment later",
    breaks: isolationClause,
    decorate: actingLater(isElsewhere),
  },
);

export const otherUsersActLater: readonly Fault[] = faultsAt(
  onSubjects.filter((row, index) => ofUsers(row) && index % 2 === 0),
  {
    id: "auth/acts-later-for-another-user",
    says: "refuses another user's token, and does what was asked a moment later",
    breaks: "*.isolation.user-mutate",
    decorate: actingLater(
      ({ principal, tenant }) => (principal?.customerUserId ?? tenant.customerUserId) !== tenant.customerUserId,
    ),
  },
);
