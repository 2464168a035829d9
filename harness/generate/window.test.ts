import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkProperty, type PropertyOptions, type PropertyVerdict } from "./window.ts";

/** Lets answers arrive out of order, as a network would: a value-independent number of turns of the event loop. */
function createJitter(): () => Promise<void> {
  let state = 7;
  return async () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    for (let turns = state % 5; turns > 0; turns -= 1) await setImmediate();
  };
}

type StockVerdict = Pick<
  fc.RunDetails<unknown>,
  "failed" | "numRuns" | "numShrinks" | "counterexamplePath" | "counterexample"
>;

interface Sample {
  readonly name: string;
  check(seed: number, window: number): Promise<{ stock: StockVerdict; ours: PropertyVerdict<unknown> }>;
}

function sample<T>(name: string, arbitrary: fc.Arbitrary<T>, holds: (value: T) => boolean, runs = 100): Sample {
  return {
    name,
    async check(seed, window) {
      const jitter = createJitter();
      const stock = await fc.check(
        fc.asyncProperty(arbitrary, async (value) => {
          if (!holds(value)) throw new Error("does not hold");
        }),
        { seed, numRuns: runs },
      );
      const predicate = async (value: T) => {
        await jitter();
        if (!holds(value)) throw new Error("does not hold");
      };
      const ours = await checkProperty(arbitrary, predicate, {
        seed,
        runs,
        window,
        shrinkWindow: Math.min(window, 4),
        maxShrinks: 10_000,
      });
      return { stock, ours };
    },
  };
}

const samples: readonly Sample[] = [
  sample("integers", fc.integer(), (n) => n < 1000),
  sample("integers that always hold", fc.integer(), () => true),
  sample("a failure of the very first value", fc.nat(), () => false),
  sample("arrays", fc.array(fc.integer()), (list) => list.length < 4 || new Set(list).size !== list.length),
  sample("sums of arrays", fc.array(fc.nat(100), { maxLength: 20 }), (list) => list.reduce((a, b) => a + b, 0) < 230),
  sample(
    "records",
    fc.record({ id: fc.nat(), name: fc.string(), on: fc.boolean() }),
    (r) => !(r.on && r.name.length > 3),
  ),
  sample(
    "records with optional keys",
    fc.record({ a: fc.nat(), b: fc.string() }, { requiredKeys: [] }),
    (r) => r.a === undefined || r.b === undefined || r.a < 5,
  ),
  sample("oneof", fc.oneof(fc.string(), fc.integer(), fc.constant(null)), (v) => typeof v !== "number" || v > -50),
  sample("preconditions", fc.integer({ min: 0, max: 500 }), (n) => {
    fc.pre(n % 3 === 0);
    return n < 300;
  }),
  sample("preconditions that mostly skip", fc.nat(10_000), (n) => {
    fc.pre(n % 17 === 0);
    return true;
  }),
  sample("strings of any unit", fc.string({ unit: "binary" }), (s) => !/\P{ASCII}/u.test(s)),
  sample("tuples", fc.tuple(fc.nat(), fc.nat(), fc.nat()), ([a, b, c]) => a <= b || b <= c),
  sample(
    "mapped and filtered",
    fc
      .nat()
      .filter((n) => n % 2 === 0)
      .map((n) => `#${n}`),
    (s) => s.length < 6,
  ),
  sample(
    "chained",
    fc.nat(20).chain((n) => fc.array(fc.nat(n), { minLength: 1, maxLength: n + 1 })),
    (l) => Math.max(...l) < 8,
  ),
  sample("bytes", fc.uint8Array({ maxLength: 64 }), (bytes) => !bytes.includes(0xff)),
  sample("big integers", fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => n < 2n ** 53n),
  sample(
    "letrec trees",
    fc.letrec((tie) => ({
      tree: fc.oneof({ depthSize: "small" }, fc.nat(9), fc.array(tie("tree"), { maxLength: 3 })),
    })).tree,
    (tree) => !JSON.stringify(tree).includes("7"),
  ),
  sample("cloneable streams", fc.infiniteStream(fc.nat(50)), (stream) => [...stream.take(5)].every((n) => n < 45)),
  sample("functions", fc.func(fc.nat(30)), (f) => f("a") === f("b") || f("c") < 20),
];

describe("the verdict is that of a sequential stock run", () => {
  test.for(samples.flatMap((each) => [1, 4, 16].map((window) => ({ ...each, window }))))(
    "$name, window $window",
    async ({ check, window }) => {
      for (const seed of [1, 42, -20260101]) {
        const { stock, ours } = await check(seed, window);
        expect(ours.failed).toBe(stock.failed);
        expect(ours.runs).toBe(stock.numRuns);
        if (!ours.failed) continue;
        expect(ours.path).toBe(stock.counterexamplePath);
        expect(fc.stringify([ours.counterexample])).toBe(fc.stringify(stock.counterexample));
        expect(ours).toMatchObject({ seed, shrinks: stock.numShrinks, confirmed: true });
        expect(ours.error).toMatchObject({ message: "does not hold" });
      }
    },
  );

  test("values drawn while running come to the same path, which fast-check itself cannot replay", async () => {
    const holds = (gen: fc.GeneratorValue) => gen(fc.nat, { max: 40 }) + gen(fc.nat, { max: 40 }) < 60;
    const { stock, ours } = await sample("gen", fc.gen(), holds).check(42, 4);
    expect(ours).toMatchObject({ failed: true, path: stock.counterexamplePath, shrinks: 4, confirmed: false });
  });

  test("enough of the samples fail to mean something", async () => {
    const verdicts = await Promise.all(samples.map((each) => each.check(42, 4)));
    expect(verdicts.filter(({ stock }) => stock.failed).length).toBeGreaterThanOrEqual(14);
  });
});

/** Takes numbers by value: each evaluation waits until the test settles it. */
function createGate() {
  const waiting = new Map<number, PromiseWithResolvers<void>>();
  return {
    waiting,
    predicate(value: number): Promise<void> {
      const gate = Promise.withResolvers<void>();
      waiting.set(value, gate);
      return gate.promise;
    },
    /** Resolves when exactly these are in flight. */
    async reached(count: number): Promise<number[]> {
      while (waiting.size < count) await setImmediate();
      return [...waiting.keys()];
    },
    pass(value: number): void {
      waiting.get(value)?.resolve();
      waiting.delete(value);
    },
    fail(value: number): void {
      waiting.get(value)?.reject(new Error(`fails on ${value}`));
      waiting.delete(value);
    },
  };
}

const distinct = fc.noShrink(fc.integer());
const options: PropertyOptions = { seed: 3, runs: 12, window: 4 };

describe("the window", () => {
  test("keeps as many evaluations in flight as it is wide, and no more", async () => {
    let inFlight = 0;
    let max = 0;
    const verdict = await checkProperty(
      fc.nat(),
      async () => {
        max = Math.max(max, ++inFlight);
        await setImmediate();
        inFlight -= 1;
      },
      { seed: 1, runs: 100 },
    );
    expect(verdict).toEqual({ failed: false, runs: 100 });
    expect(max).toBe(16);
  });

  test("shrinks with the narrower one", async () => {
    let inFlight = 0;
    let searching = true;
    let max = 0;
    await checkProperty(
      fc.integer({ min: 0, max: 1_000_000 }),
      async (n) => {
        inFlight += 1;
        if (!searching) max = Math.max(max, inFlight);
        await setImmediate();
        inFlight -= 1;
        if (n > 500) {
          searching = false;
          throw new Error("too large");
        }
      },
      { seed: 1, runs: 100, window: 1, shrinkWindow: 3 },
    );
    expect(max).toBe(3);
  });

  test("the lowest failing index wins though a later one fails first", async () => {
    const gate = createGate();
    const pending = checkProperty(distinct, gate.predicate, options);
    const [first, second, third, fourth] = (await gate.reached(4)) as [number, number, number, number];
    gate.fail(fourth);
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    expect(gate.waiting.size).toBe(3); // nothing more is issued once a failure is known
    gate.fail(second);
    gate.pass(third);
    gate.pass(first);
    await gate.reached(1); // the stock replay
    gate.fail(second);
    expect(await pending).toMatchObject({ failed: true, counterexample: second, path: "1", runs: 2, confirmed: true });
  });

  test("a failure that does not come back is not confirmed", async () => {
    let calls = 0;
    const verdict = await checkProperty(
      distinct,
      async () => {
        calls += 1;
        if (calls === 3) throw new Error("once");
      },
      options,
    );
    expect(verdict).toMatchObject({ failed: true, path: "2", confirmed: false });
  });

  test("a sibling that fails in its place does not confirm it", async () => {
    const seen: number[] = [];
    const verdict = await checkProperty(
      fc.nat(1000),
      async (n) => {
        const again = seen.includes(n);
        seen.push(n);
        if (n >= 10 && !again) throw new Error("the first time only");
      },
      { seed: 5, runs: 50, window: 1, shrinkWindow: 1 },
    );
    expect(verdict).toMatchObject({ failed: true, confirmed: false });
  });

  test("gives up shrinking after maxShrinks candidates, whatever the window", async () => {
    const predicate = async (list: number[]) => {
      if (list.length > 3) throw new Error("long");
    };
    const arbitrary = fc.array(fc.nat(), { minLength: 0, maxLength: 30 });
    const cut = await Promise.all(
      [1, 4, 16].map((shrinkWindow) =>
        checkProperty(arbitrary, predicate, { seed: 9, runs: 50, shrinkWindow, maxShrinks: 5 }),
      ),
    );
    expect(cut[0]).toMatchObject({ failed: true, confirmed: true });
    expect(cut[1]).toEqual(cut[0]);
    expect(cut[2]).toEqual(cut[0]);
    const uncut = await checkProperty(arbitrary, predicate, { seed: 9, runs: 50 });
    expect(uncut.failed && cut[0]?.failed && uncut.shrinks > cut[0].shrinks).toBe(true);
    expect(await checkProperty(arbitrary, predicate, { seed: 9, runs: 50, maxShrinks: 0 })).toMatchObject({
      shrinks: 0,
    });
  });

  test("refuses a window in which nothing would run", async () => {
    const nothing = async () => {};
    await expect(checkProperty(distinct, nothing, { ...options, window: 0 })).rejects.toThrow("window must be");
    await expect(checkProperty(distinct, nothing, { ...options, runs: 0 })).rejects.toThrow("runs must be");
    await expect(checkProperty(distinct, nothing, { ...options, shrinkWindow: 0.5 })).rejects.toThrow("shrinkWindow");
  });

  test("a precondition that never holds is an error, not a pass", async () => {
    const never = checkProperty(fc.nat(), async () => fc.pre(false), { seed: 1, runs: 3 });
    await expect(never).rejects.toThrow("rejected 301 of");
  });
});

describe("an abort", () => {
  test("before a failure is known rejects with its reason, though evaluations hang", async () => {
    const controller = new AbortController();
    const gate = createGate();
    const pending = checkProperty(distinct, gate.predicate, { ...options, signal: controller.signal });
    const [first] = await gate.reached(4);
    controller.abort(new Error("the case is over"));
    await expect(pending).rejects.toThrow("the case is over");
    gate.fail(first as number); // a late answer disturbs nobody
  });

  test("while shrinking keeps the smallest failure so far, unconfirmed", async () => {
    const controller = new AbortController();
    let failures = 0;
    const verdict = await checkProperty(
      fc.integer({ min: 0, max: 1_000_000 }),
      async (n) => {
        if (n < 100) return;
        failures += 1;
        if (failures === 3) controller.abort();
        throw new Error("large");
      },
      { seed: 2, runs: 100, window: 1, shrinkWindow: 1, signal: controller.signal },
    );
    expect(verdict).toMatchObject({ failed: true, shrinks: 1, confirmed: false });
  });

  test("before the start starts nothing", async () => {
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(checkProperty(distinct, () => Promise.reject(), { ...options, signal })).rejects.toThrow("too late");
  });
});

describe("a path", () => {
  const arbitrary = fc.array(fc.nat(50));
  const predicate = async (list: number[]) => {
    if (list.some((n) => n > 20)) throw new Error("over 20");
  };

  test("replays its counterexample alone", async () => {
    const found = await checkProperty(arbitrary, predicate, { seed: 11, runs: 100 });
    if (!found.failed) throw new Error("the sample must fail");
    let calls = 0;
    const counted = async (list: number[]) => {
      calls += 1;
      await predicate(list);
    };
    const replayed = await checkProperty(arbitrary, counted, { seed: 11, runs: 100, path: found.path });
    expect(replayed).toMatchObject({ counterexample: found.counterexample, path: found.path, shrinks: found.shrinks });
    expect(calls).toBe(1);
    const fixed = await checkProperty(arbitrary, async () => {}, { seed: 11, runs: 100, path: found.path });
    expect(fixed).toEqual({ failed: false, runs: 1 });
  });

  test("that leads nowhere is an error", async () => {
    const lost = checkProperty(arbitrary, predicate, { seed: 11, runs: 100, path: "0:999:999" });
    await expect(lost).rejects.toThrow("path");
  });
});

describe("commands", () => {
  interface Model {
    count: number;
  }
  interface Real {
    count: number;
    resets: number;
  }
  class Add implements fc.AsyncCommand<Model, Real> {
    readonly amount: number;
    constructor(amount: number) {
      this.amount = amount;
    }
    check = () => true;
    async run(model: Model, real: Real) {
      model.count += this.amount;
      await setImmediate();
      real.count += real.resets > 0 && this.amount > 10 ? 0 : this.amount; // the fault: large additions are lost
      expect(real.count).toBe(model.count);
    }
    toString = () => `Add(${this.amount})`;
  }
  class Reset implements fc.AsyncCommand<Model, Real> {
    check = (model: Readonly<Model>) => model.count > 0;
    async run(model: Model, real: Real) {
      model.count = 0;
      await setImmediate();
      real.count = 0;
      real.resets += 1;
    }
    toString = () => "Reset";
  }
  const commandArbitraries = [fc.nat(40).map((amount) => new Add(amount)), fc.constant(new Reset())];
  const predicate = (commands: Iterable<fc.AsyncCommand<Model, Real>>) =>
    fc.asyncModelRun(() => ({ model: { count: 0 }, real: { count: 0, resets: 0 } }), commands);

  test.for([1, 4, 16])("come to the sequential path and replay, window %i", async (window) => {
    for (const seed of [1, 2, 3]) {
      const stock = await fc.check(fc.asyncProperty(fc.commands(commandArbitraries), predicate), { seed, numRuns: 50 });
      const ours = await checkProperty(fc.commands(commandArbitraries), predicate, {
        seed,
        runs: 50,
        window,
        replayWith(counterexample) {
          const replayPath = /replayPath="([^"]+)"/.exec(String(counterexample))?.[1];
          return fc.commands(commandArbitraries, { replayPath });
        },
      });
      expect(stock.failed).toBe(true);
      expect(ours).toMatchObject({ failed: true, path: stock.counterexamplePath, confirmed: true });
      expect(ours.failed && String(ours.counterexample)).toBe(String(stock.counterexample?.[0]));
    }
  });
});
