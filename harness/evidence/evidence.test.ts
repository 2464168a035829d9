import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { runAll } from "../runner/drive.ts";
import { createOrder } from "../runner/order.ts";
import { rejudge } from "../runner/rejudge.ts";
import { findFault } from "../servers/faults/index.ts";
import { onlyService, startEmbedded } from "../servers/reference/embedded.ts";
import { credentialsOf } from "../target/keys.ts";
import { checkTarget } from "../target/load.ts";
import { createChain, unseal } from "./chain.ts";
import type { ExchangeEvent } from "./events.ts";
import { headerOf } from "./header.ts";
import { withoutBodies } from "./left-out.ts";
import { readEvidence } from "./read.ts";
import { createRecorder } from "./recorder.ts";

const cases = await loadCases();

/** Records a run about one service of a reference with a fault, in this process. */
async function record(fault: string, service: string) {
  const { decoration } = await findFault(fault);
  const reference = await startEmbedded(onlyService("alpha.v1", { decoration }));
  try {
    const settings = checkTarget(reference.file, "a test");
    const selection = { only: ["wire/*", "secrecy/*", "auth/*", "input/*"], services: [service] };
    const order = createOrder({ target: settings, seed: 3, runs: 2, selection }, cases);
    const file = join(mkdtempSync(join(tmpdir(), "hallmark-evidence-")), "evidence.jsonl");
    const recorder = createRecorder(file, headerOf(order, new Date(0)));
    const { results } = await runAll(order, cases, { observers: [recorder] });
    return { file, text: readFileSync(file, "utf8"), results, settings };
  } finally {
    await reference.close();
  }
}

const leaking = await record("auth/alpha.ListJobs-repeats-the-credential", "JobService");
const sound = await record("secrecy/alpha.GetSecret-shows-value", "SecretService");

describe.each([
  ["a credential", leaking],
  ["a secret's value", sound],
])("of a server that leaks %s", (_what, { file, text, results, settings }) => {
  test("the evidence holds every case and exchange, and no credential", () => {
    const { footer, header, seen } = readEvidence(file);
    expect(footer).toMatchObject({ complete: true, counts: { cases: results.length } });
    expect(header.planned).toBe(results.length);
    expect(seen.length).toBeGreaterThan(footer.counts.exchanges);
    for (const { token } of credentialsOf(settings)) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(Buffer.from(token).toString("base64").slice(0, -3));
    }
  });

  test("judged again it comes to the same, the leak included", () => {
    const evidence = readEvidence(file);
    const again = rejudge(evidence, cases);
    expect(again.differences).toEqual([]);
    expect(again.exchanges).toBeGreaterThan(50);
    const found = results.filter(({ id, findings }) => id.startsWith("secrecy/") && findings.length > 0);
    expect(found.length).toBeGreaterThan(0);
  });

  test("a suite that judges otherwise says where", () => {
    const milder = cases.map((one) => (one.kind === "invariant" ? { ...one, judge: () => [] } : one));
    const again = rejudge(readEvidence(file), milder);
    expect(again.differences.map(({ id }) => id)).toContain("secrecy/no-reply-contains-a-secret");
    expect(again.differences[0]?.judged).toBe("no breach");
  });
});

/** The text with its events changed and sealed anew, as somebody would who knows the chain. */
function resealed(text: string, edit: (events: unknown[]) => unknown[]): string {
  const chain = createChain();
  return edit([...unseal(text.trimEnd().split("\n"))].map(({ body }) => JSON.parse(body)))
    .map((event) => `${chain.seal(event as object)}\n`)
    .join("");
}

test("what was left out is counted by its reason, and whether it holds what was recorded is not guessed", () => {
  const file = join(mkdtempSync(join(tmpdir(), "hallmark-evidence-")), "e.jsonl");
  const cut = (event: unknown) => {
    const one = event as ExchangeEvent;
    return one.type === "exchange" ? withoutBodies(one, "size", { response: Buffer.from("x") }) : event;
  };
  writeFileSync(
    file,
    resealed(leaking.text, (events) => events.map(cut)),
  );
  const again = rejudge(readEvidence(file), cases);
  expect(again).toMatchObject({ differences: [], exchanges: 0, withheld: { secret: 0, origin: 0 } });
  expect(again.withheld.size).toBe(readEvidence(file).footer.counts.exchanges);
  expect(again.unshown).toBeGreaterThan(0);
});

test.each([
  [
    "an edited outcome",
    (text: string) => text.replace('"outcome":"held"', '"outcome":"violated"'),
    /line \d+ was edited/,
  ],
  ["a missing end", (text: string) => `${text.trimEnd().split("\n").slice(0, -1).join("\n")}\n`, /has no footer/],
  ["a last line cut short", (text: string) => text.slice(0, -10), /cut short/],
  ["a missing header", (text: string) => resealed(text, (events) => events.slice(1)), /does not begin with the header/],
  [
    "an exchange left out",
    (text: string) =>
      resealed(text, (events) =>
        events.toSpliced(
          events.findIndex((one) => (one as { type: string }).type === "exchange"),
          1,
        ),
      ),
    /footer counts/,
  ],
  [
    "an unknown event",
    (text: string) => resealed(text, (events) => events.toSpliced(1, 0, { type: "x" })),
    /no known form/,
  ],
  ["a second header", (text: string) => resealed(text, (events) => events.toSpliced(1, 0, events[0])), /second header/],
  ["nothing", () => "", /cut short|header/],
])("%s is refused", (_what, edit, sentence) => {
  const file = join(mkdtempSync(join(tmpdir(), "hallmark-evidence-")), "e.jsonl");
  writeFileSync(file, edit(leaking.text));
  expect(() => readEvidence(file)).toThrow(sentence);
  expect(() => readEvidence(file, "outcome")).toThrow(sentence);
});

test("a file that is not there is said", () => {
  expect(() => readEvidence("nowhere.jsonl")).toThrow(/cannot be read \(ENOENT\)/);
  const file = join(mkdtempSync(join(tmpdir(), "hallmark-evidence-")), "e.jsonl");
  writeFileSync(file, "");
  expect(() => readEvidence(file)).toThrow(/refused/);
});
