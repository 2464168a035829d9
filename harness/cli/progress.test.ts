import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createProgress, wantsColour } from "./progress.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const failure = { id: "wire/a", rpc: "a.v1.A/Get", outcome: "violated", expected: "one", actual: "two" } as const;

/** What is written to standard error while a run of so many cases goes by, on a terminal or elsewhere. */
function written(
  cases: number,
  {
    quiet,
    terminal,
    failures = 1,
  }: { readonly quiet: boolean; readonly terminal: boolean; readonly failures?: number },
): string[] {
  const lines: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  const before = process.stderr.isTTY;
  process.stderr.isTTY = terminal;
  try {
    const progress = createProgress({ quiet, colour: false });
    progress.planned(cases);
    for (let done = 0; done < cases; done += 1) progress.result(done < failures ? failure : undefined);
    progress.end();
  } finally {
    process.stderr.isTTY = before;
  }
  return lines;
}

test("a terminal sees one line rewritten, and cleared at the end", () => {
  const lines = written(8, { quiet: false, terminal: true });
  expect(lines).toHaveLength(10);
  expect(lines[0]).toMatch(/^\r.*✗ wire\/a · Get {2}expected one; actual two\n$/);
  expect(lines[4]).toMatch(/^\r.*4\/8 {2}✗ 1 .*about .* left$/);
  expect(lines.at(-1)).toBe("\r\u001b[2K");
});

test("a log sees a line at each quarter, and none at the end", () => {
  const lines = written(8, { quiet: false, terminal: false });
  expect(lines.shift()).toBe("✗ wire/a · Get  expected one; actual two\n");
  expect(lines.map((line) => line.slice(0, line.indexOf(",")))).toEqual([
    "2 of 8 cases",
    "4 of 8 cases",
    "6 of 8 cases",
  ]);
  expect(lines[0]).toMatch(/1 failed, .* gone, about .* left\n$/);
});

test("a log is told at once of many cases that have begun", () => {
  const lines = written(600, { quiet: false, terminal: false });
  expect(lines[0]).toBe("600 cases begun; a line follows at each quarter\n");
  expect(written(600, { quiet: true, terminal: false })).toEqual([]);
});

test("so many failures are told at once, and no more", () => {
  const lines = written(100, { quiet: false, terminal: false, failures: 60 });
  const told = lines.filter((line) => line.startsWith("✗"));
  expect(told).toHaveLength(40);
  expect(told.at(-1)).toContain("\nFurther failures are told at the end.\n");
});

test("with quiet nothing is seen", () => {
  expect(written(8, { quiet: true, terminal: true })).toEqual([]);
  expect(written(8, { quiet: true, terminal: false })).toEqual([]);
});

test("there is no colour in CI, nor with NO_COLOR", () => {
  const { hasColors } = process.stdout;
  onTestFinished(() => {
    process.stdout.hasColors = hasColors;
  });
  process.stdout.hasColors = () => true;
  vi.stubEnv("NO_COLOR", undefined);
  vi.stubEnv("CI", "");
  expect(wantsColour()).toBe(true);
  vi.stubEnv("CI", "true");
  expect(wantsColour()).toBe(false);
  vi.stubEnv("CI", undefined);
  vi.stubEnv("NO_COLOR", "");
  expect(wantsColour()).toBe(false);
});
