import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import { openCase, served } from "./case.testing.ts";
import { findRecord, listAll } from "./listing.ts";

const listSecrets = rpc("alpha.v1.SecretService/ListSecrets");
const id = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };

test("a record is found by its id", () => {
  expect(findRecord([{ id: { value: "1" } }, { id, name: "s" }], listSecrets, id)).toMatchObject({ name: "s" });
  expect(findRecord([], listSecrets, id)).toBeUndefined();
  expect(findRecord([{ name: "s" }], listSecrets, null)).toBeUndefined();
});

test("a first page that is shown again and again does not lead on, though something is made meanwhile", async () => {
  let made = 0;
  const { context, asked } = await listing((cursor) => {
    made += 1;
    return { names: [`name ${made}`, `name ${made - 1}`, `name ${made - 2}`], next: `${Number(cursor) + 1}` };
  });
  expect((await listAll(context, listSecrets, {})).ended).toBe(false);
  expect(asked).toHaveLength(101);
});

/** A context whose listing gives these pages, by cursor. */
async function listing(page: (cursor: string) => { readonly names: readonly string[]; readonly next: string }) {
  const { context } = await openCase("alpha.v1");
  const asked: string[] = [];
  const call: CaseContext["call"] = async (row, request) => {
    const { cursor } = request.page as { cursor: string };
    asked.push(cursor);
    const { names, next } = page(cursor);
    const json = { secrets: names.map((name) => ({ name })), page: { nextCursor: next } };
    return served(typeof row === "string" ? rpc(row) : row, json, request);
  };
  return { context: { ...context, call }, asked };
}

test("all pages are listed, or as many as are enough", async () => {
  const pages = (cursor: string) => ({
    names: [`name ${cursor}`],
    next: cursor === "2" ? "" : `${Number(cursor) + 1}`,
  });
  const { context, asked } = await listing(pages);
  const { records, replies, ended } = await listAll(context, listSecrets, {});
  expect([records.map(({ name }) => name), replies.length, ended]).toEqual([["name ", "name 1", "name 2"], 3, true]);
  const enough = (some: readonly JsonObject[]) => some.some(({ name }) => name === "name 1");
  expect((await listAll(context, listSecrets, {}, {}, enough)).records).toHaveLength(2);
  expect(asked).toEqual(["", "1", "2", "", "1"]);
});

test("a listing that leads in a circle, or on and on to nothing new, does not end", async () => {
  const circle = await listing(() => ({ names: ["the same"], next: "again" }));
  expect((await listAll(circle.context, listSecrets, {})).ended).toBe(false);
  expect(circle.asked).toHaveLength(3);
  const fruitless = await listing((cursor) => ({ names: ["the same"], next: `${Number(cursor) + 1}` }));
  expect((await listAll(fruitless.context, listSecrets, {})).ended).toBe(false);
  expect(fruitless.asked).toHaveLength(101);
});

test("a listing of empty pages that lead on and on does not end, though it is followed further", async () => {
  const empty = await listing((cursor) => ({ names: [], next: `${Number(cursor) + 1}` }));
  expect((await listAll(empty.context, listSecrets, {})).ended).toBe(false);
  expect(empty.asked).toHaveLength(900);
});

test("a listing with more pages than can be read leaves the case unproven", async () => {
  const endless = await listing((cursor) => ({ names: [`name ${cursor}`], next: `${Number(cursor) + 1}` }));
  await expect(listAll(endless.context, listSecrets, {})).rejects.toThrow("goes on after 1000 pages");
});

test("that a listing has no end is found by a few traversals, those under way told, and known to the others", async () => {
  const endless = await listing((cursor) => ({ names: ["the first page"], next: `${Number(cursor) + 1}` }));
  const pages: number[] = [];
  for (let traversal = 0; traversal < 5; traversal += 1) {
    const { replies, ended } = await listAll(endless.context, listSecrets, {});
    expect(ended).toBe(false);
    pages.push(replies.length);
  }
  expect(pages).toEqual([101, 101, 101, 11, 11]);
  const together = await listing((cursor) => ({ names: ["the first page"], next: `${Number(cursor) + 1}` }));
  const traverse = async (afterPages: number) => {
    while (together.asked.length < afterPages) await Promise.resolve();
    return (await listAll(together.context, listSecrets, {})).replies.length;
  };
  const [first, second, third, late = 0] = await Promise.all([0, 0, 0, 150].map(traverse));
  expect([first, second, third]).toEqual([101, 101, 101]);
  expect(late).toBeLessThan(60);
});

test("a listing that ends is followed as far as ever, whatever was known of it", async () => {
  let last = 500;
  const { context } = await listing((cursor) => ({
    names: [],
    next: Number(cursor) >= last ? "" : `${Number(cursor) + 1}`,
  }));
  for (let traversal = 0; traversal < 3; traversal += 1) await listAll(context, listSecrets, {});
  last = 5;
  expect((await listAll(context, listSecrets, {})).ended).toBe(true);
  last = 50;
  const { ended, replies } = await listAll(context, listSecrets, {});
  expect([ended, replies.length]).toEqual([true, 51]);
});
