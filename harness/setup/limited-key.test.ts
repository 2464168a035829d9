import { expect, test } from "vitest";
import { NotExercised } from "../target/target.ts";
import { keysWithoutScope, keyWithoutScope, keyWithScope } from "./limited-key.ts";

const keys = {
  keys: [
    { token: "reads", scopes: ["a:read"] },
    { token: "writes", scopes: ["a:write"] },
    { token: "most", scopes: ["a:write", "b:read", "b:write"] },
  ],
  label: "a limited key",
  path: "a.limited",
};

test("a key with one scope has no other", () => {
  expect(keyWithScope(keys, "a:write")).toEqual({ label: "a limited key 1", token: "writes" });
  expect(() => keyWithScope(keys, "b:read")).toThrow(NotExercised);
});

test("of the keys without a scope the one with the most others is taken", () => {
  expect(keyWithoutScope(keys, "a:read")).toEqual({ label: "a limited key 2", token: "most" });
  expect(keyWithoutScope(keys, "a:write").token).toBe("reads");
});

test("keys without a scope have all others between them, its siblings first, where one alone has not", () => {
  const single = (scope: string) => ({ token: scope, scopes: [scope] });
  const scopes = ["a:read", "a:write", "b:read", "b:write", "c:delete"];
  const singles = { ...keys, keys: scopes.map(single) };
  expect(keysWithoutScope(singles, "a:write").map(({ token }) => token)).toEqual([
    "a:read",
    "b:write",
    "b:read",
    "c:delete",
  ]);
  const all = { ...keys, keys: [...singles.keys, { token: "all but one", scopes: scopes.slice(1) }] };
  const names = keysWithoutScope(all, "a:read").map(({ token }) => token);
  expect(names).toEqual(["all but one", "a:write"]);
});

test("a key of one scope stands beside one of many", () => {
  const wide = { ...keys, keys: [{ token: "wide", scopes: ["a:write", "b:write"] }, ...keys.keys] };
  expect(keysWithoutScope(wide, "b:read").map(({ token }) => token)).toEqual(["wide", "reads"]);
});

test("a key of no scope at all comes last, once", () => {
  const bare = { token: "bare", scopes: [] };
  const withBare = { ...keys, keys: [bare, ...keys.keys] };
  expect(keysWithoutScope(withBare, "a:read").map(({ token }) => token)).toEqual(["most", "writes", "bare"]);
  expect(keysWithoutScope({ ...keys, keys: [bare] }, "a:read").map(({ token }) => token)).toEqual(["bare"]);
});

test("what the target file lacks is named", () => {
  expect(() => keyWithoutScope({ ...keys, keys: [] }, "a:read")).toThrow(
    "needs a.limited in the target file: a key without a:read",
  );
});
