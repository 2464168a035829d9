import { appendFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Judged } from "./judge.ts";
import { openProgressFile } from "./progress-file.ts";

const mute: Judged = {
  id: "tcp/mute",
  says: "says nothing",
  exit: 3,
  seconds: 10,
  peakMb: 217,
  canaries: 0,
  overBounds: [],
  flaws: [],
};

test("what was judged is known when it is opened again, but for a line that was cut short", () => {
  const file = join(mkdtempSync(join(tmpdir(), "hallmark-progress-")), "progress");
  const first = openProgressFile(file);
  expect(first.of("tcp/mute")).toBeUndefined();
  first.add(mute);
  first.add({ ...mute, id: "tcp/deaf" });
  first.add({ ...mute, seconds: 11 });
  appendFileSync(file, '{"id":"tcp/ref');
  const again = openProgressFile(file);
  expect(again.of("tcp/mute")).toEqual({ ...mute, seconds: 11 });
  expect(again.of("tcp/deaf")?.id).toBe("tcp/deaf");
  expect(again.of("tcp/refuses")).toBeUndefined();
});
