import { expect, test } from "vitest";
import { streamReply, unaryReply } from "../wire/exchange.testing.ts";
import { pageNaming, recordsIn } from "./records.ts";

const id = { value: "01990000-0000-7000-8000-00000000000b" };

test("the records of a reply are found with their kind and path", () => {
  const listing = unaryReply("alpha.v1.SecretService/ListSecrets", {}, { secrets: [{ id }, 5, { name: "b" }] });
  expect(recordsIn(listing).map(({ kind, at, record }) => [kind, at, record])).toEqual([
    ["secret", "secrets[0]", { id }],
    ["secret", "secrets[2]", { name: "b" }],
  ]);
  expect(recordsIn(listing)).toBe(recordsIn(listing));
});

test("the records of a stream are found by message; heartbeats are none", () => {
  const watch = streamReply("alpha.v1.JobService/WatchJob", {}, [{ heartbeat: {} }, { job: { id } }]);
  expect(recordsIn(watch).map(({ kind, at }) => [kind, at])).toEqual([["job", "message[1].job"]]);
});

test("a refusal holds no records", () => {
  const refused = unaryReply("alpha.v1.SecretService/GetSecret", {}, { secret: { id } }, { status: 403 });
  expect(recordsIn(refused)).toEqual([]);
});

test("pageNaming is the page with the id in any letter case, else the last", () => {
  const page = (name: string) =>
    unaryReply("alpha.v1.SecretService/ListSecrets", {}, { secrets: [{ id: { value: name } }] });
  const pages = [page("01990000-0000-7000-8000-00000000000B"), page("x"), page("y")];
  expect(pageNaming(pages, id)).toBe(pages[0]);
  expect(pageNaming(pages, { value: "z" })).toBe(pages[2]);
  expect(pageNaming([], id)).toBeUndefined();
});
