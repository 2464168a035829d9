import { expect, test, vi } from "vitest";
import { hallmark } from "./spawn.testing.ts";

test("a filter keeps what has all its words, for people and machines", async () => {
  const { stdout, exit } = await hallmark("list", "cases", "--filter", "VERSION reads*keep", "--json");
  expect(exit).toBe(0);
  expect(JSON.parse(stdout).map(({ id }: { readonly id: string }) => id)).toContain("version/reads-keep-the-version");
  for (const line of stdout.match(/"id": .*/g) ?? []) expect(line).not.toContain("stream/");
  const none = await hallmark("list", "faults", "--filter", "no such words");
  expect(none.stderr).toMatch(/^hallmark: --filter no such words fits none of the faults/);
  expect(none.exit).toBe(2);
});

test("rows are as wide as the terminal, and whole lines where there is none", async () => {
  vi.stubEnv("COLUMNS", "80");
  const { stdout } = await hallmark("list", "faults");
  vi.stubEnv("COLUMNS", undefined);
  const lines = stdout.trimEnd().split("\n");
  // An id is never broken: it may be longer than a terminal is wide.
  expect(lines.filter((line) => line.length > 80 && line.includes(" ") && !/^ *\S+$/.test(line))).toEqual([]);
  const whole = (await hallmark("list", "faults")).stdout.trimEnd().split("\n");
  expect(whole.length).toBeLessThan(lines.length);
  for (const line of whole) expect(line).toMatch(/^\S+ {2}\S/);
});
