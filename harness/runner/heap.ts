import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { RunObserver } from "../case/observer.ts";
import { unpackedSoFar } from "../wire/coding.ts";
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
  /** Collects all there is, and gives the system back what it takes. */
  giveBack(): void;
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
    // Bodies of replies, and long texts, stand beside the heap, and what they take does not make V8 collect them in time. What the
    // whole process takes is not asked: that is read from a file, and costs a millisecond.
    used() {
      const { used_heap_size, external_memory } = getHeapStatistics();
      return used_heap_size + external_memory;
    },
    collect: () => gc({ type: "major", execution: "async" }),
    collectNow: () => gc({ type: "major", execution: "sync" }),
    giveBack: () => gc({ type: "major", flavor: "last-resort" }),
  };
}

/** How far a heap has grown since it was last small. */
function createGauge(heap: Heap, most: number) {
  let least = heap.used();
  return {
    /** Whether it has grown by so much. Whoever looks before it is collected is not told again. */
    isFull(): boolean {
      const used = heap.used();
      least = Math.min(least, used);
      if (used - least < most) return false;
      least = used;
      return true;
    },
    collected(): void {
      least = heap.used();
    },
  };
}

/** Collects a heap whenever it has grown by so much since it was last small. To be asked now and then. */
export function createCollector(heap: Heap, most = maxGarbage): () => Promise<void> {
  const gauge = createGauge(heap, most);
  return async () => {
    if (!gauge.isFull()) return;
    await heap.collect();
    gauge.collected();
  };
}

/** How large the part of a heap for what is young may become, in bytes. A quarter of it made runs a fifth slower. */
const maxYoung = 16 * 2 ** 20;

/**
 * Keeps the part of this thread's heap for what is young from growing further once it is large enough, and lets it grow again after it
 * was given back. Left alone it comes to 128 MB of garbage, which V8 lets only whoever starts Node prevent; whoever is started can
 * stop its growth. One that stays at the megabyte it is given back to is collected five thousand times in a run.
 */
function keepYoungSmall(): void {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  const factor = (young?.space_size ?? 0) >= maxYoung ? 1 : 2;
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/** In bytes: from which size on bodies count, and how much of them, or unpacked, may come before the heap is looked at. */
const [longBody, maxLongBodies] = [2 ** 15, 2 ** 20];

/** What long bodies may leave in a heap before it is collected, in bytes. */
const maxLeft = 24 * 2 ** 20;

/**
 * Collects what long bodies left, at once, whenever the heap has grown by so much: each is several times its size in texts and
 * values that are garbage soon, and a server that sends nothing else fills a gigabyte between two looks of the timer. The first time
 * the part for what is young is given back, too, which grew to 64 MB while modules were loaded.
 */
export function collectAfterLongBodies(heap: Heap, most = maxLeft): RunObserver {
  let [came, unpacked] = [0, unpackedSoFar()];
  const gauge = createGauge(heap, most);
  let isSmall = false;
  return {
    repetitionsToo: true,
    onExchange({ exchange: { response, failure } }) {
      // Of a body that was too large only the beginning is left, and all that was allowed came before it.
      const size = failure?.kind === "too-large" ? maxLongBodies : bodyLength(response);
      if (size >= longBody) came += size;
      if (came + unpackedSoFar() - unpacked < maxLongBodies) return;
      [came, unpacked] = [0, unpackedSoFar()];
      if (!gauge.isFull()) return;
      if (isSmall) heap.collectNow();
      else heap.giveBack();
      isSmall = true;
      gauge.collected();
    },
  };
}

/**
 * By how much of what is alive the heap may grow before V8 collects it, in percent, once nothing looks after it any more. By
 * itself V8 lets a small heap come to four times that, which reports of ten megabytes then do.
 */
const growthPercent = 30;

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
  // What is young is little: threads that share in collecting it take longer to wake than to collect.
  setFlagsFromString("--no-parallel-scavenge");
  const heap = ownHeap();
  const look = createCollector(heap);
  keepYoungSmall();
  const timer = setInterval(() => {
    keepYoungSmall();
    void look();
  }, lookMs).unref();
  return {
    observer: collectAfterLongBodies(heap),
    letGrow() {
      clearInterval(timer);
      // What follows, the reports, is to take the place of what the run left.
      setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
      heap.giveBack();
    },
  };
}
