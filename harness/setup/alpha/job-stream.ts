import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { textAt } from "../../wire/json.ts";
import { isObject, type Reply } from "../../wire/reply.ts";
import { sleep } from "../../wire/sleep.ts";
import { isOver } from "../../wire/states.ts";
import { passEndedUnwatched } from "../ended-watches.ts";
import { waitForEnd } from "../watch-wait.ts";

/** What watching a job showed. */
export interface Watched {
  readonly replies: readonly Reply[];
  /** Records in the order they came. */
  readonly jobs: readonly JsonObject[];
  readonly heartbeats: number;
}

const jobsOf = (messages: readonly { readonly json: JsonObject }[]) =>
  messages.map(({ json }) => json.job).filter(isObject);

/**
 * Watches a job to its end. When a stream ends is not shown, so one that ends early is resumed where it was.
 *
 * @param after version to begin after; undefined sends none
 * @param withinMs how long to watch in all
 * @param isLast that nothing more is waited for: default the end of the job
 * @throws Unproven where others have watched for an end in vain
 * @throws ChosenOtherwise where it is refused once the job has ended, as the target may
 */
export async function watchJob(
  context: CaseContext,
  job: Subject,
  after: string | undefined,
  withinMs = context.target.settings.patience.settleMs,
  isLast: (record: JsonObject) => boolean = isOver,
): Promise<Watched> {
  const { call, setup } = context;
  const wait = waitForEnd(context, job, withinMs, isLast === isOver);
  const replies: Reply[] = [];
  const jobs: JsonObject[] = [];
  let heartbeats = 0;
  let from = after;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    const reply = await call(
      "alpha.v1.JobService/WatchJob",
      { ...setup.tenant(), jobId: job.id, ...(from === undefined ? {} : { afterResourceVersion: from }) },
      {
        baseUrl: job.baseUrl,
        enough: (messages) => jobsOf(messages).some(isLast),
        listenMs: wait.leftMs,
      },
    );
    replies.push(reply);
    const shown = jobsOf(reply.messages);
    jobs.push(...shown);
    heartbeats += reply.messages.length - shown.length;
    from = textAt(shown.at(-1), "resourceVersion") || from;
    await passEndedUnwatched(context, reply);
    if (reply.outcome !== "served") break;
    const isEnd = jobs.some(isLast);
    if (isEnd || wait.isLate) {
      wait.ended(isEnd);
      break;
    }
    if (reply.messages.length === 0) await wait.sawNothing();
    await sleep(pauseMs, context.signal);
  }
  return { replies, jobs, heartbeats };
}
