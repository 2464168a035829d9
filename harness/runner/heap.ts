import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { RunObserver } from "../case/observer.ts";
import { bodyLength } from "../wire/exchange.ts";

/** What may come together in a heap before it is collected, in bytes. */
const maxGarbage = 64 * 2 ** 20;

/** How often the heap is looked at, in milliseconds. */
const lookMs = 500;

/** Where the heap is measured and collected. */
export interface Heap {
  /** Bytes in use, those of buffers and garbage included. */
  used(): number;
  collect(): Promise<void>;
  /** The same, while everything else waits. */
  collectNow(): void;
}

/** Node's `gc`, as far as it is used here. */
interface Collect {
  (options: { readonly type: "major"; readonly execution: "async" }): Promise<void>;
  (options: { readonly type: "major"; readonly execution: "sync" }): void;
  (options: { readonly type: "major"; readonly flavor: "last-resort" }): void;
}

/** What collects the heap of this thread, which Node hides unless it is told not to. */
function exposeGc(): Collect {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as Collect;
}

/** The heap of this thread. */
export function ownHeap(): Heap {
  const gc = exposeGc();
  return {
    // Bodies of replies, and long texts, stand beside the heap, and what they take does not make V8 collect them in time.
    used() {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    },
    collect: () => gc({ type: "major", execution: "async" }),
    collectNow: () => gc({ type: "major", execution: "sync" }),
  };
}

/** Collects a heap whenever it has grown by so much since it was last small. To be asked now and then. */
export function createCollector(heap: Heap, most = maxGarbage): () => Promise<void> {
  let least = heap.used();
  return async () => {
    const used = heap.used();
    least = Math.min(least, used);
    if (used - least < most) return;
    // Whoever looks meanwhile is not to collect again.
    least = used;
    await heap.collect();
    least = heap.used();
  };
}

/**
 * Keeps what is young small in every thread that is begun from now on: left alone, each takes three times 16 MB for it,
 * and what outlives it is looked at late. With a quarter of this the run spent a fifth of its time looking.
 */
export function keepYoungHeapsSmall(): void {
  setFlagsFromString("--max-semi-space-size=8");
}

/** Gives back what this thread needs no more: one that waits from now on would keep its garbage to the end. */
export function giveHeapBack(): void {
  exposeGc()({ type: "major", flavor: "last-resort" });
}

/** Bodies from this size on are counted, in bytes, and how many bytes of them may come before what they left is collected. */
const [longBody, maxLongBodies] = [2 ** 18, 2 ** 23];

/**
 * Collects what long bodies left, at once, whenever so much of them has come: each is several times its size in texts and
 * values that are garbage soon, and a server that sends nothing else fills a gigabyte between two looks at the heap.
 */
export function collectAfterLongBodies(collect: () => void): RunObserver {
  let came = 0;
  return {
    repetitionsToo: true,
    onExchange({ exchange: { response, failure } }) {
      // Of a body that was too large only the beginning is left, and all that was allowed came before it.
      const size = failure?.kind === "too-large" ? maxLongBodies : bodyLength(response);
      if (size < longBody) return;
      came += size;
      if (came < maxLongBodies) return;
      came = 0;
      collect();
    },
  };
}

/** The heap of a thread that is kept small. */
export interface SmallHeap {
  readonly observer: RunObserver;
  letGrow(): void;
}

/**
 * Keeps the heap of this thread small. Left alone, the heap of a long run grows to several times what is alive in it, as
 * collecting seldom is quickest: a run of two hundred thousand exchanges took 1.6 GB.
 */
export function keepHeapSmall(): SmallHeap {
  const heap = ownHeap();
  const look = createCollector(heap);
  const timer = setInterval(() => void look(), lookMs).unref();
  return { observer: collectAfterLongBodies(heap.collectNow), letGrow: () => clearInterval(timer) };
}
