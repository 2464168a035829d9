import type { JsonObject } from "@bufbuild/protobuf";
import { isCanceled } from "../../proto/states.ts";
import type { Breach } from "../case/breach.ts";
import { isDefault, listAt, objectAt, showJson, textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { isOver } from "../wire/states.ts";
import { judgeViolation } from "./error-detail.ts";
import { recordsIn } from "./records.ts";

/** Breaches within one job's record: `completedAt`, the terminal error and the progress fit the state. */
export function judgeJob(job: JsonObject, at: string): Breach[] {
  const state = textAt(job, "state");
  const breaches: Breach[] = [];
  const breach = (clause: string, field: string, expected: string) =>
    breaches.push({ clause, at: `${at}.${field}`, expected, actual: showJson(job[field]) });
  const over = isOver(job);
  const known = state !== "" && !state.endsWith("_UNSPECIFIED");
  if (over && isDefault(job.completedAt)) breach("*.jobs.completed-at", "completedAt", `a time, as it is ${state}`);
  if (!over && known && !isDefault(job.completedAt)) {
    breach("*.jobs.completed-at", "completedAt", `no time yet, as it is ${state}`);
  }
  // A job of beta.v1 has its run's states, and leaves its error to the run.
  if (state.startsWith("RUN_")) return breaches;
  const failed = state === "JOB_STATE_FAILED";
  if (failed && isDefault(job.terminalError)) breach("*.errors.terminal", "terminalError", "the error it failed with");
  const error = objectAt(job, "terminalError");
  if (failed && !isDefault(error) && isDefault(error.reason)) {
    const actual = showJson(error.reason);
    breaches.push({ clause: "*.enums.specified", at: `${at}.terminalError.reason`, expected: "a reason", actual });
  }
  for (const [index, violation] of listAt(error, "fieldViolations").entries())
    breaches.push(...judgeViolation(violation, `${at}.terminalError.fieldViolations[${index}]`));
  // Why a job was canceled, or is about to be, may well be told as an error.
  if (known && !failed && !isCanceled(state) && !isDefault(job.terminalError))
    breach("*.errors.terminal-of-failed", "terminalError", `none, as it is ${state}`);
  if (Number(job.progressPercent ?? 0) > 100) breach("*.jobs.progress", "progressPercent", "at most 100");
  return breaches;
}

/** Breaches within the job records of a reply; undefined where it holds none. */
export function judgeJobs(reply: Reply): Breach[] | undefined {
  const jobs = recordsIn(reply).filter(({ kind }) => kind === "job");
  return jobs.length === 0 ? undefined : jobs.flatMap(({ record, at }) => judgeJob(record, at));
}
