import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { SeenExchange } from "../case/observer.ts";
import { decodeContent, maxDecodedBytes } from "../wire/coding.ts";
import { collectAfterLongBodies, createCollector, ownHeap } from "./heap.ts";

test("a heap is collected once it has grown by so much, counted from what was left of it", async () => {
  let used = 100;
  const collected: number[] = [];
  const heap = {
    used: () => used,
    collect: async () => {
      collected.push(used);
      used = 120;
    },
    collectNow() {},
    giveBack() {},
  };
  const look = createCollector(heap, 50);
  const sizes = [140, 90, 130, 145, 160, 171, 110, 159, 160];
  for (const size of sizes) {
    used = size;
    await look();
  }
  // From 90 to 145; from 120 to 171; from 110 to 160.
  expect(collected).toEqual([145, 171, 160]);
});

const forget = () => new WeakRef({ held: "by nobody" });

test("the heap of the thread that asks is measured, and collected", async () => {
  const heap = ownHeap();
  const forgotten = forget();
  // An object is held until the job that made it is over.
  await new Promise(setImmediate);
  await heap.collect();
  // Nothing but yes or no goes to `expect`, which would hold on to the object.
  expect(forgotten.deref() === undefined).toBe(true);
  expect(heap.used()).toBeGreaterThan(2 ** 20);
});

/** A heap in which each body leaves eight times its size, and what is alive stays. */
function fakeHeap(alive: number) {
  const at = { used: alive, peak: alive, collected: 0, givenBack: 0 };
  const collectNow = () => {
    at.collected += 1;
    at.used = alive;
  };
  const giveBack = () => {
    collectNow();
    at.givenBack += 1;
  };
  const heap = { used: () => at.used, collect: async () => {}, collectNow, giveBack };
  const leave = (bytes: number) => {
    at.used += bytes;
    at.peak = Math.max(at.peak, at.used);
  };
  return { heap, at, leave };
}

const most = 24 * 2 ** 20;

test("what long bodies left is collected once it is so much, what short ones left is not looked at", () => {
  const { heap, at, leave } = fakeHeap(50 * 2 ** 20);
  const { onExchange } = collectAfterLongBodies(heap, most);
  const see = (size: number, failure?: { readonly kind: string }) => {
    leave(8 * size);
    const response = { chunks: [{ at: 0, bytes: new Uint8Array(size) }] };
    onExchange?.({ exchange: { response, failure } } as unknown as SeenExchange);
  };
  for (let seen = 0; seen < 200; seen += 1) see(30_000);
  expect(at.collected).toBe(0);
  see(3_000_000);
  expect([at.collected, at.givenBack]).toEqual([1, 1]);
  at.peak = 0;
  for (let seen = 0; seen < 1000; seen += 1) see(300_000);
  // One body of 300 kB in ten leaves enough, and no more than what three leave comes before the next look.
  expect(at.collected).toBeGreaterThan(80);
  expect(at.collected).toBeLessThan(110);
  expect(at.peak).toBeLessThan(50 * 2 ** 20 + most + 4 * 8 * 300_000);
  leave(most);
  const { collected } = at;
  see(1000, { kind: "too-large" });
  expect([at.collected, at.givenBack]).toEqual([collected + 1, 1]);
});

test("what was unpacked counts, however short it came", () => {
  const { heap, at, leave } = fakeHeap(50 * 2 ** 20);
  const { onExchange } = collectAfterLongBodies(heap, most);
  const seen = { exchange: { response: { chunks: [] } } } as unknown as SeenExchange;
  for (let bomb = 0; bomb < 4; bomb += 1) {
    // Half of them are within what may be unpacked.
    const packed = gzipSync(new Uint8Array(bomb % 2 === 0 ? maxDecodedBytes : 2 * maxDecodedBytes));
    decodeContent(packed, "gzip");
    leave(most);
    onExchange?.(seen);
  }
  expect(at.collected).toBe(4);
});
