import type { RuntimeMessage } from "allure-js-commons/sdk";
import { getGlobalTestRuntime, type MessageTestRuntime } from "allure-js-commons/sdk/runtime";
import { clause } from "../../proto/clauses/index.ts";
import { allureCourse, allureDescription } from "../../reports/allure.ts";
import type { Instance } from "../case/plan.ts";
import type { CaseResult } from "../case/result.ts";
import { placeUrl } from "../evidence/contract-excerpt.ts";
import { readRepository } from "../package/home.ts";

/** Takes a message to Allure's reporter; undefined where there is none, and each call would print a warning. */
function findReporter(): ((message: RuntimeMessage) => PromiseLike<void>) | undefined {
  const runtime = getGlobalTestRuntime() as Partial<MessageTestRuntime>;
  return runtime.sendMessage?.bind(runtime);
}

/** Tells Allure what a test is. Does nothing without Allure's reporter. */
export async function describeToAllure({ case: one, row, area, clauses }: Instance): Promise<void> {
  const send = findReporter();
  if (send === undefined) return;
  const repository = readRepository();
  const cited = clauses.map(clause).map((cite) => ({ ...cite, link: placeUrl(cite, repository) }));
  await send(allureDescription({ id: one.id, rpc: row.name, area, says: one.says }, cited));
}

/** Tells Allure what a case came to. Does nothing without Allure's reporter. */
export async function stepsToAllure(result: CaseResult): Promise<void> {
  const send = findReporter();
  if (send === undefined) return;
  for (const message of allureCourse(result)) await send(message);
}
