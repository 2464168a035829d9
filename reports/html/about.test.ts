import { expect, test } from "vitest";
import { isAbout, marksOf } from "./about.ts";
import { layOutJson } from "./json-lines.ts";

/** Paths of the lines that stand out. */
function marked(body: string, finding: Parameters<typeof marksOf>[0]): readonly string[] {
  const marks = marksOf(finding);
  return (layOutJson(body) ?? []).filter((line) => isAbout(line, marks)).map(({ path }) => path);
}

test("the field that a finding names stands out", () => {
  expect(marked('{"secret":{"name":"a","version":"1"}}', { at: "secret.version", actual: "1" })).toEqual([
    "secret.version",
  ]);
});

test("so does every place where the label of a leaked value stands", () => {
  const actual =
    'secret value of hallmark-1 appears in its body at secrets[0].note (raw): "see <secret value of hallmark-1>"';
  const leaked = { at: "header x-trace", actual };
  const body = '{"secrets":[{"name":"b","note":"see <secret value of hallmark-1>"},{"name":"<another>"}]}';
  expect(marked(body, leaked)).toEqual(["secrets[0].note"]);
});

test("nothing stands out where a finding names no place", () => {
  expect(marked('{"a":{"b":1}}', { actual: "served" })).toEqual([]);
});
