import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { livesForItsPhase } from "../../harness/case/phase.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { farAndPrevious } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise, NotExercised } from "../../harness/target/target.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { isOver } from "../../harness/wire/states.ts";
import { distinguishingFieldOf, listRowOf, readRowOf, subjectFieldOf } from "../../proto/resources.ts";
import { CredentialKind, Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { judgePositiveControl } from "../common/refusals.ts";

/** How long refused calls are given to take effect, in milliseconds: what is worked off behind a reply takes a second or two. */
const lateMs = 2500;

/** A call that must be refused: why, by whom it is made, and what of it differs from the valid one. */
interface Trial {
  readonly because: string;
  readonly clause: string;
  readonly as?: Credential | null;
  readonly changes?: (subject: Subject | undefined) => JsonObject;
}

/** Calls at versions that are not current. */
function staleTrials({ expectedVersion }: RpcRow): readonly Trial[] {
  if (expectedVersion === undefined) return [];
  const at = (index: number) => (subject: Subject | undefined) => {
    const versions = farAndPrevious(subject ?? { version: "0" });
    return { [expectedVersion.name]: versions[index] ?? versions[0] ?? "" };
  };
  const because = "it expects another version than the current one";
  return [0, 1].map((index) => ({ because, clause: "*.versioning.expected", changes: at(index) }));
}

/** Calls of those who may not make them; those that the target file has no credential for are left out. */
async function callerTrials({ row, setup }: CaseContext): Promise<readonly Trial[]> {
  const trials: Trial[] = [{ because: "it carries no credential", clause: "*.auth.required", as: null }];
  const add = async (find: () => Promise<readonly Trial[]>) => {
    try {
      trials.push(...(await find()));
    } catch (error) {
      if (!(error instanceof NotExercised)) throw error;
    }
  };
  if (row.scope !== "") {
    const because = `its credential lacks ${row.scope}`;
    await add(async () => [{ because, clause: "*.auth.scope", as: await setup.keyWithoutScope(row) }]);
  }
  // Before the other workspace, whose token is another user's, too.
  if (row.credentials.includes(CredentialKind.BROWSER_TOKEN)) {
    const because = "its token is another user's";
    await add(async () => {
      const as = await (await setup.otherUser()).token(row);
      return [{ because, clause: "*.isolation.user-mutate", as }];
    });
  }
  await add(async () => {
    const { key, tenant, sharesKey } = await setup.otherTenant(row);
    // How keys are bound to workspaces is not shown (Authentication 5): one key may serve both.
    if (sharesKey) return [];
    const by = { because: "its key is another workspace's", clause: "*.isolation.mutate", as: key };
    // What names no record, and is asked of the other workspace, is asked rightly.
    return subjectFieldOf(row) === undefined ? [by] : [by, { ...by, changes: () => tenant }];
  });
  return trials;
}

/** What refused calls are about: they are sent, and it is looked at afterwards. */
interface Thing {
  refuse(trial: Trial): Promise<Reply>;
  look(): Promise<{ readonly visible: boolean; readonly seen: string }>;
}

/** A subject of its own, or what a creating call would make. */
async function prepare(context: CaseContext): Promise<Thing> {
  const { row, setup, call } = context;
  const made = await setup.subjectOf(row);
  const subject = made && ((await setup.current(made)) ?? made);
  const valid = await setup.request(row, subject);
  const baseUrl = setup.baseUrl(row, subject);
  return {
    refuse({ as, changes }) {
      const request = { ...valid, ...changes?.(subject), ...freshRequestId(row, setup) };
      return call(row, request, { baseUrl, ...(as !== undefined && { as }) });
    },
    async look() {
      if (subject === undefined) {
        const count = (await setup.countCreated(row, valid)) ?? 0;
        return { visible: count > 0, seen: count > 0 ? "what it asked for is listed" : "nothing is listed" };
      }
      const { visible, seen } = await setup.effectOn(row, subject);
      const isDone = !visible && !subject.changesOnlyByMutation && isOver((await setup.current(subject))?.record ?? {});
      if (isDone) throw new ChosenOtherwise(`a ${subject.kind} ends before a late effect could be seen`);
      return { visible, seen };
    },
  };
}

/** How many endpoints a case has at a time, beside that which nobody calls for: there may be few. */
const endpointsAtOnce = 2;

/** Trials that are made at the same time, each for a thing of its own. */
function batchesOf({ row }: CaseContext, trials: readonly Trial[]): readonly (readonly Trial[])[] {
  if (!livesForItsPhase(row.subject)) return [trials];
  const count = Math.ceil(trials.length / endpointsAtOnce);
  return Array.from({ length: count }, (_, index) =>
    trials.slice(index * endpointsAtOnce, (index + 1) * endpointsAtOnce),
  );
}

/** Finds the call that had the effect: each is made for a thing of its own, and looked at beside one that nobody calls for. */
async function judgeAlone(context: CaseContext, trials: readonly Trial[]): Promise<void> {
  const { row, judge, signal } = context;
  for (const batch of batchesOf(context, trials)) {
    const twin = await prepare(context);
    const made = await Promise.all(
      batch.map(async (trial) => {
        const thing = await prepare(context);
        return { trial, thing, reply: await thing.refuse(trial) };
      }),
    );
    await sleep(lateMs, signal);
    const seen = await Promise.all(made.map(async (one) => ({ ...one, ...(await one.thing.look()) })));
    // The twin is looked at last: what has changed by itself by then may have done so before.
    if ((await twin.look()).visible) throw new ChosenOtherwise(`a ${row.subject} changes by itself within seconds`);
    for (const { trial, reply, visible, seen: actual } of seen) {
      const expected = `no effect of a call that was refused, as ${trial.because}, ${lateMs / 1000} s later, either`;
      if (!judge(reply, trial.clause).satisfies(!visible, expected, actual)) return;
    }
  }
}

/** Whether something shows later what a call did to its subject, or what it made. */
const isSeenLater = (row: RpcRow) =>
  !isReadOnly(row) &&
  !row.fixture &&
  (row.effect === Effect.CREATE
    ? distinguishingFieldOf(row) !== undefined
    : row.expectedVersion !== undefined &&
      (readRowOf(row.subject, row.package) ?? listRowOf(row.subject, row.package)) !== undefined);

export const lateEffects = defineRule({
  id: "auth/refused-call-has-no-late-effect",
  says: "a call that is refused, for the version it expects or for its caller, has no effect some seconds later, either",
  waits: true,
  clauses: [
    "*.versioning.expected",
    "*.auth.required",
    "*.auth.scope",
    "*.isolation.mutate",
    "*.isolation.user-mutate",
  ],
  rows: isSeenLater,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, judge, run, signal } = context;
    const trials = [...staleTrials(row), ...(await callerTrials(context))];
    const thing = await prepare(context);
    const replies = await Promise.all(trials.map((trial) => thing.refuse(trial)));
    for (const [index, reply] of replies.entries()) {
      const { clause, because } = trials[index] ?? {};
      if (!judge(reply, clause).isRefused({ because: because ?? "" })) return;
    }
    await sleep(lateMs + run.readLag.behind(row.package), signal);
    if ((await thing.look()).visible) await judgeAlone(context, trials);
    // Who creates nothing at all leaves nothing behind, either.
    if (row.effect === Effect.CREATE) await judgePositiveControl(context, undefined);
  },
});
