import { type Run, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { distinguishingFieldOf, isChangeable } from "../../../../proto/resources.ts";
import { factsOf, rpc } from "../../../../proto/rpcs.ts";
import { type Reply, tenantKey } from "../../reference/core/context.ts";
import { versionOf } from "../../reference/core/subject.ts";
import { createChance } from "../chance.ts";
import type { Fault } from "../fault.ts";
import { ofSecondTenant } from "../second-tenant.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import {
  answeringFirst,
  comparingText,
  creating,
  currentOf,
  forgetting,
  isCountable,
  multiplying,
  plaintextToo,
  requestIdOf,
  sometimesForgetting,
} from "./replays.ts";

const oneEffect = "*.idempotency.one-effect";

export const everyCallNew: readonly Fault[] = faultsAt(multiplying, {
  id: "idempotency/forgets",
  says: "makes another resource for a requestId it has served",
  breaks: oneEffect,
  entails: plaintextToo,
  decorate: forgetting,
});

/** A request that comes for the third time fails, as its place in a table of replies is taken. */
export const thirdFails: readonly Fault[] = faultsAt(multiplying.filter(isCountable), {
  id: "idempotency/third-call-fails",
  says: "fails at the second replay of a request",
  breaks: "*.errors.client-fault",
  decorate: replacing((parts) => {
    const calls = new Map<string, number>();
    return {
      async idempotent(context, effect) {
        const id = requestIdOf(context);
        const times = (calls.get(id) ?? 0) + 1;
        calls.set(id, times);
        if (times > 2) throw new Error("duplicate key");
        return await parts.idempotent(context, effect);
      },
    };
  }),
});

/** What is kept for one tenant is not for the next. */
export const secondTenantNew: readonly Fault[] = faultsAt(multiplying.filter(isCountable), {
  id: "idempotency/forgets-for-the-second-tenant",
  says: "makes another resource for a requestId it has served, for one of two tenants",
  breaks: oneEffect,
  entails: plaintextToo,
  decorate: replacing((parts) => ({
    idempotent: async (context, effect) =>
      ofSecondTenant(context) ? await effect() : await parts.idempotent(context, effect),
  })),
});

/** The requestId is noted only once the reply is there: calls at once are all new. */
const notingAfter = (ms: number) =>
  replacing(() => {
    const served = new Map<string, Reply>();
    return {
      async idempotent(context, effect) {
        const key = `${tenantKey(context.tenant)} ${requestIdOf(context)}`;
        const known = served.get(key);
        if (known !== undefined) return known;
        await new Promise((resolve) => setTimeout(resolve, ms));
        const reply = await effect();
        served.set(key, reply);
        return reply;
      },
    };
  });

export const lateNotes: readonly Fault[] = faultsAt(multiplying, {
  id: "idempotency/notes-too-late",
  says: "remembers a requestId only after it has served it",
  breaks: oneEffect,
  entails: plaintextToo,
  decorate: notingAfter(20),
});

/** The same in a moment: calls that come one after another, however soon, are known. */
export const momentaryNotes: readonly Fault[] = faultsAt(multiplying, {
  id: "idempotency/notes-a-moment-late",
  says: "remembers a requestId a few milliseconds after it came",
  breaks: oneEffect,
  entails: plaintextToo,
  decorate: notingAfter(4),
});

/** One replay in twenty is taken for a new request. */
export const sometimesNew: readonly Fault[] = faultsAt(multiplying.filter(isCountable), {
  id: "idempotency/forgets-one-replay-in-twenty",
  says: "takes one replay in twenty for a new request",
  breaks: oneEffect,
  entails: plaintextToo,
  decorate: (row) => sometimesForgetting(createChance(0.05))(row),
});

/** A request under its requestId is another one where it is written otherwise: it is done again. */
export const newByText: readonly Fault[] = faultsAt(multiplying, {
  id: "idempotency/remembers-its-text",
  says: "makes another resource for a request that is written otherwise",
  breaks: oneEffect,
  entails: plaintextToo,
  decorate: comparingText,
});

/** A replay is answered as before, and done again behind the reply: it makes a copy that no name tells from the first. */
export const hiddenCopies: readonly Fault[] = faultsAt(
  multiplying.filter((row) => distinguishingFieldOf(row) === undefined),
  {
    id: "idempotency/does-replays-in-secret",
    says: "does a replay again though it answers it with the first reply",
    breaks: oneEffect,
    decorate: replacing((parts) => {
      const served = new Set<string>();
      return {
        async idempotent(context, effect) {
          const reply = await parts.idempotent(context, effect);
          if (served.has(requestIdOf(context))) await effect();
          served.add(requestIdOf(context));
          return reply;
        },
      };
    }),
  },
);

/** A creating call is done again once what it made has changed. */
export const newAfterChange: readonly Fault[] = faultsAt(multiplying.filter(isChangeable), {
  id: "idempotency/makes-another-after-a-change",
  says: "makes another resource when its replay comes after a change",
  breaks: oneEffect,
  decorate: replacing((parts) => {
    const made = new Map<string, bigint>();
    return {
      async idempotent(context, effect) {
        const reply = await parts.idempotent(context, effect);
        const current = currentOf(context, reply);
        const version = current === undefined ? 0n : versionOf(current.record);
        const first = made.get(requestIdOf(context)) ?? version;
        made.set(requestIdOf(context), first);
        return version !== 0n && version !== first ? await effect() : reply;
      },
    };
  }),
});

/** A run is started again once it was canceled. */
export const newOnceCanceled: readonly Fault[] = faultsAt([rpc("beta.v1.RunService/CreateRun")], {
  id: "idempotency/makes-another-once-canceled",
  says: "starts another run when its replay comes after the first was canceled",
  breaks: oneEffect,
  decorate: replacing((parts) => ({
    async idempotent(context, effect) {
      const reply = await parts.idempotent(context, effect);
      const current = currentOf(context, reply)?.record as Run | undefined;
      return current?.state === RunState.CANCELED ? await effect() : reply;
    },
  })),
});

const named = creating.filter((row) => distinguishingFieldOf(row) !== undefined);

export const newAfterDeletion: readonly Fault[] = faultsAt(named, {
  id: "idempotency/resurrects",
  says: "makes a resource anew when its first call is repeated after the deletion",
  breaks: oneEffect,
  // What is issued with it is issued once more; in alpha.v1 that is open.
  entails: (row) =>
    row.package === "beta.v1" && row.output.fields.some((field) => factsOf(field).credentialPlaintext)
      ? ["*.credentials.once"]
      : [],
  decorate: replacing((parts) => ({
    async idempotent(context, effect) {
      const reply = await parts.idempotent(context, effect);
      const current = currentOf(context, reply);
      return current === undefined || current.deleted ? await effect() : reply;
    },
  })),
});

/** A requestId with another request is answered as if it had been done. */
export const changedRequestIgnored: readonly Fault[] = faultsAt(named, {
  id: "idempotency/ignores-a-changed-request",
  says: "answers a changed request with the resource of the first",
  breaks: "*.idempotency.changed-request",
  entails: plaintextToo,
  decorate: answeringFirst(({ tenant }) => tenantKey(tenant)),
});
