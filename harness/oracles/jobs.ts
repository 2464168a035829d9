import type { JsonObject } from "@bufbuild/protobuf";
import type { Breach } from "../case.ts";
import { isDefault, showJson, textAt } from "../json.ts";
import type { Reply } from "../wire/reply.ts";
import { recordsIn } from "./records.ts";

const ended = new Set(["JOB_STATE_SUCCEEDED", "JOB_STATE_FAILED", "JOB_STATE_CANCELED"]);
const under = new Set(["JOB_STATE_QUEUED", "JOB_STATE_RUNNING", "JOB_STATE_CANCELING"]);

/** Breaches within one job's record: its end, its error and its progress fit its state. */
export function judgeJob(job: JsonObject, at: string): Breach[] {
  const state = textAt(job, "state");
  const breaches: Breach[] = [];
  const breach = (clause: string, field: string, expected: string) =>
    breaches.push({ clause, at: `${at}.${field}`, expected, actual: showJson(job[field]) });
  const failed = state === "JOB_STATE_FAILED";
  if (ended.has(state) && isDefault(job.completedAt))
    breach("*.jobs.completed-at", "completedAt", `a time, as it is ${state}`);
  if (under.has(state) && !isDefault(job.completedAt)) {
    breach("*.jobs.completed-at", "completedAt", `no time yet, as it is ${state}`);
  }
  if (failed && isDefault(job.terminalError)) breach("*.errors.terminal", "terminalError", "the error it failed with");
  if (!failed && !isDefault(job.terminalError)) breach("*.errors.terminal", "terminalError", `none, as it is ${state}`);
  if (Number(job.progressPercent ?? 0) > 100) breach("*.jobs.progress", "progressPercent", "at most 100");
  return breaches;
}

/** Breaches within the job records of a reply; undefined where it holds none. */
export function judgeJobs(reply: Reply): Breach[] | undefined {
  const jobs = recordsIn(reply).filter(({ kind }) => kind === "job");
  return jobs.length === 0 ? undefined : jobs.flatMap(({ record, at }) => judgeJob(record, at));
}
