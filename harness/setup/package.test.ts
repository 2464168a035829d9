import { expect, test } from "vitest";
import { rpcs } from "../../proto/rpcs.ts";
import { alphaPackage } from "./alpha/setup.ts";
import { betaPackage } from "./beta/setup.ts";

test.each([
  ["alpha.v1", alphaPackage],
  ["beta.v1", betaPackage],
] as const)("what setup knows of %s is of kinds that its rows are about", (name, { resources }) => {
  const kinds = new Set(rpcs.filter((row) => row.package === name).map((row) => row.subject));
  expect(Object.keys(resources).filter((kind) => !kinds.has(kind))).toEqual([]);
});
