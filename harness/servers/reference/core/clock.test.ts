import { describe, expect, test } from "vitest";
import { createManualClock, ownClock, systemClock } from "./clock.ts";
import { createIds, uuidV7Pattern } from "./ids.ts";
import { createRandom } from "./random.ts";
import { createVault } from "./vault.ts";

describe("the manual clock", () => {
  test("fires timers in order, those set on the way too, and no later ones", async () => {
    const clock = createManualClock(1000);
    const fired: number[] = [];
    clock.after(30, () => fired.push(clock.now()));
    clock.after(10, () => clock.after(5, () => fired.push(clock.now())));
    clock.after(31, () => fired.push(clock.now()));
    await clock.advance(30);
    expect(fired).toEqual([1015, 1030]);
    expect(clock.now()).toBe(1030);
  });
});

describe("an owned clock", () => {
  test("ends pauses and timers when closed", async () => {
    const clock = ownClock(systemClock);
    let fired = false;
    clock.after(1_000_000, () => {
      fired = true;
    });
    const pause = clock.pause(1_000_000);
    clock.close();
    await pause;
    await clock.pause(1_000_000);
    expect(fired).toBe(false);
  });

  test("ends a pause when its signal is aborted", async () => {
    const clock = ownClock(systemClock);
    const leaving = new AbortController();
    const pause = clock.pause(1_000_000, leaving.signal);
    leaving.abort();
    await pause;
    await clock.pause(1_000_000, leaving.signal);
    clock.close();
  });
});

describe("ids", () => {
  test("are version 7, ascending within a millisecond, and the same under a seed", () => {
    const make = () => {
      const newId = createIds(createManualClock(1_700_000_000_000), createRandom(3));
      return Array.from({ length: 10_000 }, newId);
    };
    const ids = make();
    expect(ids.every((id) => uuidV7Pattern.test(id))).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(make()).toEqual(ids);
  });
});

describe("the vault", () => {
  test("gives a value back to its holder only, and keeps no plaintext", () => {
    const vault = createVault(createRandom(1));
    const plaintext = Buffer.from("a well kept secret");
    const sealed = vault.seal("holder", plaintext);
    expect(Buffer.from(sealed).includes(plaintext)).toBe(false);
    expect(Buffer.from(vault.open("holder", sealed))).toEqual(plaintext);
    expect(() => vault.open("another", sealed)).toThrow();
    expect(vault.open("empty", vault.seal("empty", new Uint8Array()))).toHaveLength(0);
  });
});
