import { expect, test } from "vitest";
import { quoteWord, splitWords } from "./words.ts";

test.each([
  "target.yaml",
  "my target.yaml",
  "it's.yaml",
  "a'b'c d",
  "http://127.0.0.1:1/x",
  "--only",
  "version/*",
  "$(x)",
])("%s is one word again", (word) => {
  expect(splitWords(`hallmark run ${quoteWord(word)} --seed 1`)).toEqual(["hallmark", "run", word, "--seed", "1"]);
});
