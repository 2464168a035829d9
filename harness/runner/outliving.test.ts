import { expect, test } from "vitest";
import { type Outliving, undoOutliving } from "./outliving.ts";

const idOf = (number: number) => `01890a5d-ac96-774b-bcce-${String(number).padStart(12, "0")}`;

/** Pieces of work that log when their undoing begins and ends. */
function start() {
  const log: string[] = [];
  const work = (
    name: string,
    what: readonly string[],
    asked: readonly string[],
    doneAt?: number,
    of?: string,
  ): Outliving => ({
    trace: {
      undo: what.map((one) => ({ what: one })),
      exchanges: asked.map((text) => ({ rpc: of, request: { url: "http://127.0.0.1/", body: Buffer.from(text) } })),
    },
    doneAt,
    async undo() {
      log.push(`+${name}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push(`-${name}`);
    },
  });
  return { log, work };
}

test("what has nothing to do with each other is undone at once, as many as may be", async () => {
  const { log, work } = start();
  await undoOutliving(
    Array.from({ length: 20 }, (_, number) => work(String(number), [`secret ${idOf(number)}`], [], 1)),
  );
  expect(log.slice(0, 8).every((line) => line.startsWith("+"))).toBe(true);
  expect(log[8]).toMatch(/^-/);
  expect(log).toHaveLength(40);
});

test("what later work asked about is undone after what that made, in whatever case the id is written", async () => {
  const { log, work } = start();
  const user = work("user", [`customer user ${idOf(1)}`], [], 1);
  const session = work("session", [`session ${idOf(2)}`], [`{"userId":{"value":"${idOf(1).toUpperCase()}"}}`], 2);
  const run = work("run", [`run ${idOf(3)}`], [`{"sessionId":{"value":"${idOf(2)}"}}`], 3);
  await undoOutliving([session, run, user]);
  expect(log).toEqual(["+run", "-run", "+session", "-session", "+user", "-user"]);
});

test("what earlier work asked about waits for nothing, so that nothing waits for itself", async () => {
  const { log, work } = start();
  const one = work("one", [`secret ${idOf(1)}`], [idOf(2)], 1);
  const other = work("other", [`secret ${idOf(2)}`], [idOf(1)], 2);
  await undoOutliving([one, other]);
  expect(log).toEqual(["+other", "-other", "+one", "-one"]);
});

test("what has no id is undone after all that was done later; what is not done counts as the last", async () => {
  const { log, work } = start();
  const hook = work("hook", ["a hook of the webhook receiver"], [], 1);
  const endpoint = work("endpoint", [`endpoint ${idOf(1)}`], [], 2);
  const unfinished = work("unfinished", [], []);
  await undoOutliving([hook, endpoint, unfinished]);
  expect(log.indexOf("+hook")).toBeGreaterThan(log.indexOf("-endpoint"));
  expect(log.indexOf("+hook")).toBeGreaterThan(log.indexOf("-unfinished"));
});

test("whom a credential was issued for is undone after what was done with it, which names nobody", async () => {
  const { log, work } = start();
  const issuing = "beta.v1.CustomerUserService/IssueBrowserToken";
  const tokens = [1, 2].map((number) =>
    work(`user ${number}`, [`customer user ${idOf(number)}`], ["{}"], number, issuing),
  );
  const session = work("session", [`session ${idOf(3)}`], ["{}"], 3, "beta.v1.SessionService/CreateSession");
  await undoOutliving([...tokens, session]);
  expect(log.slice(0, 4)).toEqual(["+session", "-session", "+user 2", "+user 1"]);
});
