import { expect, test } from "vitest";
import type { Reply } from "../wire/reply.ts";
import { createTrail } from "./page-trail.ts";

const refused = { outcome: "refused" } as Reply;

test("a traversal goes back page by page, and not twice for one cursor", () => {
  const trail = createTrail();
  trail.read({ cursor: "", count: 0 });
  trail.read({ cursor: "a", count: 2 });
  expect(trail.back("b", refused)).toEqual({ cursor: "a", count: 2 });
  expect(trail.back("a", refused)).toEqual({ cursor: "", count: 0 });
  trail.read({ cursor: "", count: 0 });
  expect(trail.back("a", refused)).toBeUndefined();
  expect(trail.back("c", refused)).toEqual({ cursor: "", count: 0 });
  expect(trail.back("d", refused)).toBeUndefined();
});

test("it goes on after a page that came, and does not go back from the first", () => {
  const trail = createTrail();
  expect(trail.back("", refused)).toBeUndefined();
  trail.read({ cursor: "", count: 0 });
  expect(trail.back("a", { outcome: "served" } as Reply)).toBeUndefined();
});
