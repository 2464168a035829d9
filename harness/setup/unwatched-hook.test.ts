import { expect, test } from "vitest";
import { changing, openCase } from "./case.testing.ts";
import { unwatchedHook } from "./unwatched-hook.ts";

test("each address is new, on the receiver where there is one", async () => {
  const { context } = await openCase("alpha.v1");
  const [one, other] = [await unwatchedHook(context), await unwatchedHook(context)];
  expect(one).not.toBe(other);
  expect(new URL(one).hostname).toBe("127.0.0.1");
  expect((await fetch(one, { method: "POST", body: "{}" })).ok).toBe(true);
});

test("without a receiver it resolves nowhere", async () => {
  const { context } = await openCase("alpha.v1", { target: changing({ webhooks: undefined }) });
  expect(await unwatchedHook(context)).toMatch(/^https:\/\/hallmark\.invalid\//);
});
