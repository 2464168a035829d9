import { expect, test } from "vitest";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import type { Reply } from "../wire/reply.ts";
import { callAsItIsNow } from "./as-it-is-now.ts";

const at = (version: number): Subject => ({
  kind: "webhook_endpoint",
  id: "e",
  record: {},
  version: `${version}`,
  changesOnlyByMutation: true,
});

/** The versions sent in calls that are served at one version alone, while the subject moves on by so much with each reading. */
async function sent(step: number, servedAt: number): Promise<readonly string[]> {
  let version = 1;
  const current = async () => {
    version += step;
    return at(version);
  };
  const calls: string[] = [];
  await callAsItIsNow({ setup: { current } } as unknown as CaseContext, at(1), async (subject) => {
    calls.push(subject.version);
    return { outcome: Number(subject.version) === servedAt ? "served" : "refused" } as Reply;
  });
  return calls;
}

test("a call is made again where it was refused and the version has moved on", async () => {
  expect(await sent(1, 1)).toEqual(["1"]);
  expect(await sent(1, 3)).toEqual(["1", "2", "3"]);
  expect(await sent(0, 9)).toEqual(["1"]);
  expect(await sent(1, 9)).toEqual(["1", "2", "3", "4", "5"]);
});
