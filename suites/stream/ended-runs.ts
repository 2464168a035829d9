import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { cancelRun, type RunScript, requireRunsCanceled, startRun } from "../../harness/setup/beta/run.ts";
import { type Streamed, streamText, watchRun } from "../../harness/setup/beta/run-stream.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise, NotExercised } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { isOver } from "../../harness/wire/states.ts";
import { CredentialKind } from "../../proto/rpcs.ts";
import { needsStream } from "../common/silent.ts";
import { approveAll } from "../lifecycle/approvals/decisions.ts";
import { judgeAfter, judgeNoLoss, judgeSameEvents, lastOf, spread } from "./run-events.ts";

/** A way in which a run ends, other than that it succeeds by itself. */
interface Ending {
  readonly what: string;
  readonly start: (context: CaseContext) => Promise<Subject>;
  /** What brings the end about, once the run is streamed. */
  readonly end?: (context: CaseContext, run: Subject) => Promise<unknown>;
}

const by = (script: RunScript) => (context: CaseContext) => startRun(context, script);

async function startCancelable(context: CaseContext): Promise<Subject> {
  await requireRunsCanceled(context);
  return context.setup.fresh("run:running");
}

const endings: readonly Ending[] = [
  { what: "a-failed-run", start: by("fail") },
  { what: "an-unknown-outcome-run", start: by("unknown") },
  {
    what: "a-canceled-run",
    start: startCancelable,
    async end(context, run) {
      // For there to be text before the end.
      await streamText(context, run, {
        cutAfter: 3,
        withinMs: context.target.settings.patience.quietMs,
        maxStreams: 1,
      });
      return cancelRun(context, run);
    },
  },
  {
    what: "an-approved-run",
    start: by("approval"),
    async end(context, run) {
      await awaitApproval(context, run);
      await approveAll(context, run);
    },
  },
];

/** How many runs are started at most for one that is streamed before it has ended: on a busy machine it may be over by then. */
const maxTries = 3;

/** A run that has ended, and what was streamed of it until then and after: of up to three the first that shows some events. */
async function streamedToItsEnd(context: CaseContext, ending: Ending, stream: typeof streamText) {
  for (let tries = 1; ; tries += 1) {
    const streamed = await streamOne(context, ending, stream);
    if (tries === maxTries || streamed.known.events.length > 1) return streamed;
  }
}

/** A run that has ended, and what was streamed of it until then and after: history may be kept in part, or not at all. */
async function streamOne(
  context: CaseContext,
  { start, end }: Ending,
  stream: typeof streamText,
): Promise<{ readonly run: Subject; readonly known: Streamed }> {
  const { quietMs } = context.target.settings.patience;
  const run = await start(context);
  const [, live] = await Promise.all([
    (async () => {
      await end?.(context, run);
      return settle(context, run);
    })(),
    stream(context, run, { withinMs: 4 * quietMs }),
  ]);
  const late = await stream(context, run, { withinMs: quietMs, maxStreams: 1 });
  // A slow watch may be over before its run.
  const isWhole = late.events.some(isOver) && !live.events.some(isOver);
  return { run, known: isWhole || late.events.length > live.events.length ? late : live };
}

/** The places in a stream that it may be resumed after. */
function places({ events }: Streamed): readonly string[] {
  return events.map((event) => textAt(event, "sequence")).filter((one) => one !== "" && one !== "0");
}

/** The usual credential, and one of each further kind that the target file provides. */
async function callers({ row, setup }: CaseContext, run: Subject): Promise<readonly (Credential | undefined)[]> {
  const found: (Credential | undefined)[] = [undefined];
  for (const kind of row.credentials.filter((one) => one !== CredentialKind.BACKEND_KEY)) {
    try {
      found.push(await setup.credentialOfKind(kind, row, run));
    } catch (error) {
      if (!(error instanceof NotExercised)) throw error;
    }
  }
  return found;
}

export const text = endings.map((ending) =>
  defineCase({
    id: `stream/text-of-${ending.what}-resumes-after-the-given-event`,
    says: "a text stream of a run that has ended, resumed after any event, sends only later events, and the same as before",
    clauses: ["beta.text.after", "beta.watch.same-event"],
    rpc: "beta.v1.RunService/StreamRunText",
    async run(context) {
      const { run, known } = await streamedToItsEnd(context, ending, streamText);
      const after = spread(places(known));
      if (after.length === 0) throw new ChosenOtherwise("no text is streamed of such a run");
      for (const as of await callers(context, run)) {
        await Promise.all(
          after.map(async (place) => {
            const { quietMs } = context.target.settings.patience;
            const shown = await streamText(context, run, { after: place, as, withinMs: quietMs, maxStreams: 1 });
            const reply = lastOf(shown);
            needsStream(context, reply);
            judgeAfter(context, shown, place, known.replies.slice(-1));
            judgeSameEvents(context, shown, known);
          }),
        );
      }
    },
  }),
);

export const watch = endings.map((ending) =>
  defineCase({
    id: `stream/watch-of-${ending.what}-resumes-after-the-given-event`,
    says: "a watch of a run that has ended, resumed after any event, shows its end and nothing before that event, and the same as before",
    clauses: ["beta.watch.no-loss", "beta.watch.same-event", "beta.watch.not-older"],
    rpc: "beta.v1.RunService/WatchRun",
    async run(context) {
      const { run, known } = await streamedToItsEnd(context, ending, watchRun);
      const { events } = known;
      const after = spread(places(known).slice(0, -1));
      if (after.length === 0) throw new ChosenOtherwise("a watch shows one event of such a run alone");
      for (const as of await callers(context, run)) {
        await Promise.all(
          after.map(async (place) => {
            const shown = await watchRun(context, run, { after: place, as });
            const index = events.findIndex((event) => textAt(event, "sequence") === place);
            judgeNoLoss(context, shown, events.slice(index + 1), known.replies.slice(-1));
            judgeSameEvents(context, shown, known);
          }),
        );
      }
    },
  }),
);
