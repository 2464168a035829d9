import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import type { Subject } from "../case/setup.ts";
import { modelKind } from "./model.ts";
import { listRecords, readRecord } from "./reads.ts";
import { contextOf, SecretService } from "./secret-service.testing.ts";

const kind = modelKind("secret", "alpha.v1", () => false);
const listedOnly = { ...kind, readRow: undefined };

/** Twelve pages of one secret each. */
class Paged extends SecretService {
  pages = 0;
  override dispatch(method: string, id: string, request: JsonObject) {
    if (method !== "ListSecrets") return super.dispatch(method, id, request);
    this.pages += 1;
    const { cursor } = request.page as { cursor: string };
    const number = cursor === "" ? 1 : Number(cursor);
    const secret = { id: { value: `secret-${number}` } };
    return { status: 200, json: { secrets: [secret], page: { nextCursor: number < 12 ? String(number + 1) : "" } } };
  }
}

const subjectOf = (number: number) => ({ kind: "secret", id: { value: `secret-${number}` } }) as unknown as Subject;

test("a listing is read for eight pages at most, or until enough was listed", async () => {
  const service = new Paged();
  const { context } = contextOf(service);
  const listing = await listRecords(context, kind, subjectOf(1));
  expect([listing.records.length, listing.replies.length, listing.complete]).toEqual([8, 8, false]);
  const short = await listRecords(context, kind, subjectOf(1), (listed) => listed.length >= 3);
  expect([short.records.length, short.complete]).toEqual([3, false]);
});

test("a listing whose last page was read is complete", async () => {
  const service = new SecretService();
  service.create({ name: "a" });
  const listing = await listRecords(contextOf(service).context, kind, subjectOf(1));
  expect([listing.records.length, listing.complete]).toEqual([1, true]);
});

test("a kind that can only be listed is looked for on every page", async () => {
  const service = new Paged();
  const { context } = contextOf(service);
  expect((await readRecord(context, listedOnly, subjectOf(5))).record).toEqual({ id: { value: "secret-5" } });
  expect(service.pages).toBe(5);
  expect((await readRecord(context, listedOnly, subjectOf(99))).record).toBeUndefined();
  expect(service.pages).toBe(5 + 12);
});

test("a kind that can be read is read; a refused read found no record", async () => {
  const service = new SecretService();
  service.create({ name: "a" });
  const { context } = contextOf(service);
  expect((await readRecord(context, kind, subjectOf(1))).record).toMatchObject({ name: "a" });
  expect((await readRecord(context, kind, subjectOf(2))).record).toBeUndefined();
});

test("a kind that can neither be read nor listed is an error", async () => {
  const { context } = contextOf(new SecretService());
  const neither = { kind: "secret", readRow: undefined, listRow: undefined };
  await expect(readRecord(context, neither, subjectOf(1))).rejects.toThrow("nothing shows a secret");
  await expect(listRecords(context, neither, subjectOf(1))).rejects.toThrow("nothing lists secret");
});
