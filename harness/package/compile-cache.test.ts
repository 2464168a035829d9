import { expect, test } from "vitest";
import { compileCache, keepCompiled } from "./compile-cache.ts";

test("a clone tells threads and processes where compiled modules are kept", () => {
  const environment: NodeJS.ProcessEnv = {};
  keepCompiled(environment, ".ts");
  expect(environment).toEqual({ NODE_COMPILE_CACHE: compileCache });
});

test("the package keeps nothing, and a cache that somebody chose stays the one", () => {
  const environment: NodeJS.ProcessEnv = {};
  keepCompiled(environment, ".js");
  expect(environment).toEqual({});
  const chosen = { NODE_COMPILE_CACHE: "elsewhere" };
  keepCompiled(chosen, ".ts");
  expect(chosen).toEqual({ NODE_COMPILE_CACHE: "elsewhere" });
});
