import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { editAt, renameAt } from "./edit.ts";

const json: JsonObject = { page: { nextCursor: "" }, jobs: [{ state: "A", ids: [1, 2] }, { state: "B" }] };

describe("editing at a path", () => {
  test("changes one member, or that of every element", () => {
    expect(editAt(json, "page.nextCursor", () => 1)).toEqual({ ...json, page: { nextCursor: 1 } });
    expect(editAt(json, "jobs[].state", (state) => `${state}!`).jobs).toEqual([
      { state: "A!", ids: [1, 2] },
      { state: "B!" },
    ]);
    expect(editAt(json, "jobs[].ids[]", (id) => Number(id) + 1).jobs).toEqual([
      { state: "A", ids: [2, 3] },
      { state: "B" },
    ]);
  });

  test("takes members away, renames them, and leaves alone what is not there", () => {
    expect(editAt(json, "jobs[].state", () => undefined).jobs).toEqual([{ ids: [1, 2] }, {}]);
    expect(renameAt(json, "page.nextCursor", "next_cursor").page).toEqual({ next_cursor: "" });
    expect(editAt(json, "secret.name", () => 1)).toEqual(json);
    expect(renameAt(json, "page.other", "another")).toEqual(json);
  });
});
