import { curlOf } from "../evidence/excerpt.ts";
import type { SecretRegistry } from "../secrets/registry.ts";
import { recordIn } from "../setup/subject.ts";
import { textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";

/** A step that was taken, and the replies it got, the decisive one last. */
export interface LoggedStep {
  /** `RotateSecret secret a, at version 2`. */
  readonly what: string;
  readonly replies: readonly Reply[];
}

/** The outcome of a call in a few words: `served, version 3`. */
export function outcomeOf(reply: Reply): string {
  if (reply.outcome === "broken") return `no usable reply: ${reply.why}`;
  if (reply.outcome === "refused") return `refused, ${reply.error.reason ?? reply.error.code}`;
  const version = textAt(recordIn(reply), "resourceVersion");
  return version === "" ? "served" : `served, version ${version}`;
}

/** Steps as a numbered list, each with its outcome and the curl command that sends the same request. */
export function formatSteps(steps: readonly LoggedStep[], secrets: SecretRegistry): string {
  return steps
    .flatMap(({ what, replies }, index) => {
      const last = replies.at(-1);
      if (last === undefined) return [`${index + 1}. ${what}`];
      return [`${index + 1}. ${what} → ${outcomeOf(last)}`, `   ${curlOf(last.exchange, secrets)}`];
    })
    .join("\n");
}
