import type { Results } from "../harness/case/result.ts";
import { count, duration } from "./words.ts";

/** What the run made on its target, in sentences: how its own webhook receiver did last. None for older results. */
export function usageSentences({ usage }: Pick<Results, "usage">): readonly string[] {
  if (usage === undefined) return [];
  const { jobs, runs, deliveries, loginRequests, resources, receiver } = usage;
  const made = [
    count(jobs, "job"),
    ...(runs > 0 ? [count(runs, "run")] : []),
    count(deliveries, "delivery", "deliveries"),
    count(resources, "resource"),
  ];
  const used = loginRequests > 0 ? `, and used ${count(loginRequests, "login request")}` : "";
  const answered =
    receiver === undefined || deliveries === 0
      ? []
      : [
          `Its own webhook receiver answered within ${duration(receiver.slowestMs)} and was late by ${duration(receiver.lateMs)} in all.`,
        ];
  return [`The run made ${made.join(", ")}${used}.`, ...answered];
}
