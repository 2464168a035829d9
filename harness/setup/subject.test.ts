import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { served } from "./case.testing.ts";
import {
  changeOf,
  idIn,
  isTombstone,
  ownIdIn,
  recordIn,
  shownIn,
  subjectFrom,
  subjectIn,
  versionOf,
} from "./subject.ts";

const getSecret = rpc("alpha.v1.SecretService/GetSecret");
const listSecrets = rpc("alpha.v1.SecretService/ListSecrets");
const listItems = rpc("beta.v1.MemoryService/ListMemoryItems");
const createSession = rpc("beta.v1.SessionService/CreateSession");
const id = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };

test("the record of a reply is found by its row, with its id and version", () => {
  const secret = { id, name: "s", resourceVersion: "3" };
  const reply = served(getSecret, { secret });
  expect([recordIn(reply), shownIn(reply), idIn(reply), ownIdIn(reply)]).toEqual([secret, secret, id, id]);
  expect([versionOf(secret), versionOf({})]).toEqual(["3", "0"]);
});

test("a reply without a record, or a record without an id, is nothing to go on with", () => {
  expect(() => shownIn(served(getSecret, {}))).toThrow("to show a record");
  expect(() => ownIdIn(served(getSecret, { secret: { name: "s" } }))).toThrow("to show the id of its secret");
  expect(idIn(served(getSecret, {}))).toBeNull();
});

test("a subject is narrowed to the user its record names, or to whoever was asked for", () => {
  const item = { memoryItemId: id, customerUserId: { value: "1" }, resourceVersion: "2" };
  expect(subjectFrom(listItems, item)).toMatchObject({
    kind: "memory_item",
    id,
    version: "2",
    within: { customerUserId: { value: "1" } },
  });
  const session = { sessionId: id, customerUserId: { value: "wrong" } };
  const reply = served(createSession, { session }, { customerUserId: { value: "asked" } });
  expect(subjectIn(reply).within).toEqual({ customerUserId: { value: "asked" } });
  expect(subjectFrom(listSecrets, { id }).within).toBeUndefined();
});

test("what was deleted is told by when, or by its state", () => {
  expect(isTombstone({ deletedAt: "2026-01-01T00:00:00Z" })).toBe(true);
  expect(isTombstone({ state: "SESSION_STATE_DELETED" })).toBe(true);
  expect(isTombstone({ state: "ARTIFACT_STATE_AVAILABLE" })).toBe(false);
});

test("a record is as before whatever a server adds to it", () => {
  const before = subjectFrom(listSecrets, { id, name: "s" });
  expect(changeOf("alpha.v1", before, { id, name: "s", unknown: 1 })).toBeUndefined();
});

test("of a record that changed, the fields that differ are shown alone, however long it is", () => {
  const before = subjectFrom(listSecrets, { id, description: "d".repeat(1000), name: "s" });
  const now = { id, description: "d".repeat(1000), name: "t", resourceVersion: "2" };
  expect(changeOf("alpha.v1", before, now)).toEqual({
    names: ["name", "resourceVersion"],
    was: '{"name":"s","resourceVersion":null}',
    is: '{"name":"t","resourceVersion":"2"}',
  });
});

test("work that has ended is as it was but for a cost that was settled since", () => {
  const record = { runId: id, state: "RUN_STATE_CANCELED", resourceVersion: "3" };
  const before = { kind: "run", id, record, version: "3", changesOnlyByMutation: true };
  const settled = { ...record, settledCustomerCost: { millionths: "5" }, resourceVersion: "4" };
  expect(changeOf("beta.v1", before, settled)).toBeUndefined();
  expect(changeOf("beta.v1", before, { ...settled, state: "RUN_STATE_FAILED" })).toBeDefined();
  expect(changeOf("beta.v1", before, { ...record, resourceVersion: "4" })).toBeDefined();
  expect(changeOf("beta.v1", { ...before, record: settled }, { ...settled, resourceVersion: "5" })).toBeDefined();
});
