import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { createModelRun, currentSubject } from "./model-run.ts";
import { createPatience } from "./patience.ts";
import { secretModel } from "./resources/crud.ts";
import { contextOf, SecretService } from "./secret-service.testing.ts";

const create = rpc("alpha.v1.SecretService/CreateSecret");

async function begin() {
  const { context, findings } = contextOf(new SecretService());
  const run = createModelRun(context, secretModel(context, {}), createPatience(1, 1));
  const reply = await context.call(create, { name: "n" });
  return { run, findings, reply, subject: context.setup.subjectIn(reply) };
}

test("records are named by kind and letter, and are unverified at first", async () => {
  const { run, subject } = await begin();
  const [first, second] = [run.track(subject), run.track(subject)];
  expect(run.records.map(({ tracked }) => tracked.name)).toEqual(["secret a", "secret b"]);
  expect([...run.unverified]).toEqual([first, second]);
  expect(first.tracked).toMatchObject({ deleted: false, confirmed: false });
  expect(() => run.track({ ...subject, kind: "job" })).toThrow("the model has no job");
});

test("the current subject is at the last version of the model", async () => {
  const { run, subject } = await begin();
  const record = run.track(subject);
  record.tracked.versions.push({ version: "9", record: { name: "later" } });
  expect(currentSubject(record)).toMatchObject({ kind: "secret", version: "9", record: { name: "later" } });
});

test("a judgement that does not hold is a finding with the steps so far, and the run is violated", async () => {
  const { run, findings, reply } = await begin();
  run.log("create secret a", [reply]);
  const judgement = { reply, clause: "*.records.agree", expected: "one thing", actual: () => "another" };
  run.judge({ ...judgement, held: true });
  expect([run.violated, findings.length]).toEqual([false, 0]);
  run.judge({ ...judgement, held: false });
  expect(run.violated).toBe(true);
  expect(findings).toMatchObject([{ clause: "*.records.agree", expected: "one thing" }]);
  expect(findings[0]?.actual).toMatch(/^another; the steps so far:\n1\. create secret a → served, version 1\n/);
  run.judge({ ...judgement, held: true });
  expect(run.violated).toBe(true);
});
