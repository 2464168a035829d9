import { curlOf } from "../evidence/excerpt.ts";
import type { SecretRegistry } from "../secrets/registry.ts";
import { recordIn } from "../setup/subject.ts";
import { textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";

/** One step as it was played: what was done, and the replies it got, the decisive one last. */
export interface LoggedStep {
  readonly what: string;
  readonly replies: readonly Reply[];
}

/** What a reply came to, in a few words. */
export function outcomeOf(reply: Reply): string {
  if (reply.outcome === "broken") return `no usable reply: ${reply.why}`;
  if (reply.outcome === "refused") return `refused, ${reply.error.reason ?? reply.error.code}`;
  const version = textAt(recordIn(reply), "resourceVersion");
  return version === "" ? "served" : `served, version ${version}`;
}

/** A history as a numbered script: what was done, what came of it, and the command that sends the same. */
export function formatSteps(steps: readonly LoggedStep[], secrets: SecretRegistry): string {
  return steps
    .flatMap(({ what, replies }, index) => {
      const last = replies.at(-1);
      if (last === undefined) return [`${index + 1}. ${what}`];
      return [`${index + 1}. ${what} → ${outcomeOf(last)}`, `   ${curlOf(last.exchange, secrets)}`];
    })
    .join("\n");
}
