import { expect, test } from "vitest";
import type { Credential } from "../wire/request.ts";
import { createTurns } from "./token-turns.ts";

/** A server of one live token a user: it issues, and tells whether one works. */
function issuer() {
  const live = new Map<string, string>();
  let count = 0;
  return {
    turns: createTurns(),
    mint: (user: string) => async (): Promise<Credential> => {
      count += 1;
      live.set(user, `${user}${count}`);
      return { label: user, token: `${user}${count}` };
    },
    works: async ({ label, token }: Credential) => live.get(label) === token,
    issued: () => count,
  };
}

test("a credential that another has ended is issued anew before its use, and only then", async () => {
  const { turns, mint, works, issued } = issuer();
  const earlier = await turns.issue("a", mint("a"));
  const later = await turns.issue("a", mint("a"));
  expect(await works(earlier)).toBe(false);
  expect(await turns.use(earlier, works)).toBe(true);
  expect(await turns.use(earlier, works)).toBe(true);
  expect(issued()).toBe(3);
  expect(await turns.use(later, works)).toBe(true);
  expect(issued()).toBe(4);
});

test("calls made at once come in turn; those of another user end nothing", async () => {
  const { turns, mint, works, issued } = issuer();
  const [one, two] = [await turns.issue("a", mint("a")), await turns.issue("a", mint("a"))];
  const other = await turns.issue("b", mint("b"));
  const afterWhile = async (as: Credential) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return works(as);
  };
  const used = await Promise.all([one, two, other, one].map((as) => turns.use(as, afterWhile)));
  expect(used).toEqual([true, true, true, true]);
  expect(issued()).toBe(6);
});

test("a credential issued by nobody here is used as it is", async () => {
  const { turns } = issuer();
  const key: Credential = { label: "a key", token: "key" };
  expect(await turns.use(key, async (as) => as)).toBe(key);
});

test("a refusal to issue one is told, and does not keep the next from being issued", async () => {
  const { turns, mint, works } = issuer();
  await expect(turns.issue("a", () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  expect(await turns.use(await turns.issue("a", mint("a")), works)).toBe(true);
});
