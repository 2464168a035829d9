import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runBounded } from "./bounded.ts";
import { findPeer, type PeerTask, runPeer } from "./schemathesis.ts";

const directory = mkdtempSync(join(tmpdir(), "hallmark-peer-test-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A program that stands in for another. */
function program(name: string, text: string): string {
  const file = join(directory, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

const absent = join(directory, "absent");

test("a program is killed at its deadline, and one that is not there has no exit code", async () => {
  const endless = await runBounded("/bin/sh", ["-c", "exec sleep 60"], { deadlineMs: 100 });
  expect(endless.code).toBeUndefined();
  expect(endless.seconds).toBeLessThan(30);
  expect((await runBounded(absent, [], { deadlineMs: 1000 })).code).toBeUndefined();
  expect(await runBounded("/bin/sh", ["-c", "echo yes; exit 3"], { deadlineMs: 30_000 })).toMatchObject({
    code: 3,
    text: "yes\n",
  });
});

test("the peer that is installed is taken, where it is of the version that is read", async () => {
  const installed = program("four", 'echo "schemathesis, version 4.32.5"');
  expect(await findPeer(directory, installed, absent)).toEqual({ command: installed });
});

test("where Python is absent, or pip gets nothing, one sentence says so", async () => {
  const five = program("five", 'echo "schemathesis, version 5.0.0"');
  expect(await findPeer(directory, five, absent)).toEqual({
    lacks: "No comparison with Schemathesis: there is no Python 3 with venv here.",
  });
  const offline = program("python", "exit 0");
  expect(await findPeer(directory, absent, offline)).toEqual({
    lacks: "No comparison with Schemathesis: pip could not install schemathesis>=4,<5.",
  });
});

const task: PeerTask = {
  directory: join(directory, "run"),
  document: { openapi: "3.1.0" },
  url: "http://127.0.0.1:1",
  tokens: new Map([["alpha.v1.SecretService/GetSecret", "token"]]),
  seed: 1,
  seconds: 1,
};

test("its findings are read from what it wrote", async () => {
  const report = '{"schemathesis_version":"4.1.0","complete":true,"errors":[{"title":"Network Error"}]}';
  const peer = program("peer", `echo '${report}' > report.json; cp "$2" seen.toml; exit 1`);
  mkdirSync(task.directory, { recursive: true });
  expect(await runPeer(peer, task)).toMatchObject({ finished: true, findings: ["error Network Error"] });
});

test("without a report it did not finish", async () => {
  const silent = program("silent", "exit 2");
  const elsewhere = join(directory, "silent-run");
  expect(await runPeer(silent, { ...task, directory: elsewhere })).toMatchObject({ finished: false, findings: [] });
});

test("one that is killed at its deadline did not finish, whatever it had begun to write", async () => {
  const endless = program("endless", ": > report.json; : > baseline.json; exec sleep 60");
  const ran = await runPeer(endless, { ...task, directory: join(directory, "endless-run"), seconds: 0, graceMs: 300 });
  expect(ran).toMatchObject({ finished: false, findings: [] });
  expect(ran.seconds).toBeLessThan(30);
});
