import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createCanaryScanner } from "../hostile/canaries.ts";
import type { Hosted } from "../servers/hostile/hostile.ts";
import { findHostileTarget } from "../servers/hostile/index.ts";
import { withLittleFile } from "../servers/hostile/target-file.ts";
import { credentialsOf } from "../target/keys.ts";
import { checkTarget } from "../target/load.ts";
import { directory, fileWith, hallmarkAsked } from "./spawn.testing.ts";

const narrow = ["--service", "alpha.v1.SecretService", "--only", "lifecycle/*", "--only", "wire/*"];
const patience = { connectMs: 1000, replyMs: 2500, settleMs: 1500, deliveryMs: 1500, quietMs: 100, caseMs: 10_000 };

/** What was written and printed so far, by place; files under their names, which may hold a credential as well. */
interface Told {
  readonly place: string;
  readonly text: Buffer;
}

function filesIn(folder: string): readonly Told[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const place = join(parentPath, name);
      return { place, text: Buffer.concat([Buffer.from(`${place}\n`), readFileSync(place)]) };
    });
}

const hosts: Hosted[] = [];
afterAll(() => Promise.all(hosts.map((host) => host.close())));

/** Puts every command to a target that knows the credentials it was sent; returns what was told, and by what command. */
async function tell(
  id: string,
): Promise<{ readonly hosted: Hosted; readonly told: readonly Told[]; readonly exits: object }> {
  const hosted = await (await findHostileTarget(id)).start();
  hosts.push(hosted);
  const file = fileWith(JSON.stringify({ ...hosted.file, patience: { ...patience, ...hosted.file.patience } }));
  const little = fileWith(JSON.stringify({ ...withLittleFile(hosted).file, patience }));
  const other = fileWith(JSON.stringify({ ...hosted.file, name: "the same again", patience }));
  const folder = directory();
  const at = (name: string) => join(folder, name);
  const exits: Record<string, number | null> = {};
  const told: Told[] = [];
  const put = async (name: string, input: string, ...words: readonly string[]) => {
    const { exit, stdout, stderr } = await hallmarkAsked(input, ...words);
    exits[name] = exit;
    told.push({ place: `${name}: output`, text: Buffer.from(`${stdout}\n${stderr}`) });
  };
  const run = (part: string) => ["run", file, "--seed", "1", "--record", "--allure", "--runs", "2", "--shard", part];
  await put("run", "", ...run("1/2"), "--out", at("shards/1"), ...narrow);
  await put("run again", "", ...run("2/2"), "--out", at("shards/2"), ...narrow);
  await put("merge", "", "merge", at("shards"), "--out", at("merged"));
  await put("judge", "", "judge", join(at("shards/1"), "evidence.jsonl"), "--out", at("judged"));
  await put("replay", "", "replay", at("merged"));
  const failed = /^ {2}(\S+\/\S+)/m.exec(String(told.at(-1)?.text))?.[1];
  if (failed !== undefined) await put("replay one", "", "replay", at("merged"), failed, "--out", at("replayed"));
  await put("diff", "", "diff", file, other, "--out", at("diff"), "--runs", "2", ...narrow);
  await put("doctor", "", "doctor", little);
  await put("sweep", "", "sweep", file, "--yes");
  await put("init", "\n\n\n\n\n\n\n", "init", at("made.yaml"), "--base-url", hosted.file.alpha?.baseUrl ?? "");
  await put("dry run", "", "run", file, "--dry-run", ...narrow);
  return { hosted, told: [...told, ...filesIn(folder)], exits };
}

describe.each([
  ["a server that keeps the contract, and tells every credential it knows", "disclosing/in-extra-fields", 0],
  ["a server that serves nothing, and gives the key in names and values of headers", "reflecting/in-headers", 1],
])("of %s", (_, id, exit) => {
  test("no command tells a credential, or a part of one, in any spelling", async () => {
    const { hosted, told, exits } = await tell(id);
    const known = credentialsOf(checkTarget(hosted.file, "a test")).map(({ token }) => token);
    const scanner = createCanaryScanner([...known, ...(hosted.issued?.() ?? [])]);
    const found = told.flatMap(({ place, text }) => scanner.find(text).map(({ form }) => `${place}: ${form}`));
    expect(found).toEqual([]);
    // Two runs on one server come to the same, whatever that is.
    expect(exits).toMatchObject({ run: exit, judge: exit, diff: 0 });
    expect(Object.values(exits).filter((one) => one === 4 || one === null)).toEqual([]);
    for (const part of ["results.json", "evidence.jsonl", "report.html", "junit.xml", "allure-results"]) {
      expect(told.some(({ place }) => place.includes(part))).toBe(true);
    }
  });
});
