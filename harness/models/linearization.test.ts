import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countOverlaps, findLinearization, type Operation, type SequentialModel } from "./linearization.ts";
import {
  impossibleReads,
  type OperationEffect,
  recordModel,
  type ShownRecord,
  withoutReads,
} from "./operation-model.ts";

const at = (version: number, body = `b${version}`): ShownRecord => ({ version: String(version), body });
const first = at(1);
const wrote = (called: number, returned: number, expected: number, shown: ShownRecord): Operation<OperationEffect> => ({
  called,
  returned,
  effect: { kind: "write", expected: String(expected), shown },
});
const read = (called: number, returned: number, shown: ShownRecord): Operation<OperationEffect> => ({
  called,
  returned,
  effect: { kind: "read", shown },
});
const notFound = (called: number, returned: number): Operation<OperationEffect> => ({
  called,
  returned,
  effect: { kind: "not-found" },
});
const deleted = (called: number, returned: number, expected: number): Operation<OperationEffect> => ({
  called,
  returned,
  effect: { kind: "delete", expected: String(expected) },
});
const lost = (
  called: number,
  expected: number,
  ...possible: (ShownRecord | "deleted")[]
): Operation<OperationEffect> => ({
  called,
  returned: Infinity,
  effect: { kind: "lost", expected: String(expected), possible },
});
const foundIn = (history: readonly Operation<OperationEffect>[]) =>
  findLinearization(history, recordModel(first)).found;

describe("histories with a linearization", () => {
  test.each<[string, Operation<OperationEffect>[]]>([
    ["nothing happened", []],
    ["a read of what was there", [read(0, 1, first)]],
    ["a write and a later read of it", [wrote(0, 1, 1, at(2)), read(2, 3, at(2))]],
    ["a read of the old while it is written", [wrote(0, 5, 1, at(2)), read(1, 2, first)]],
    ["a read of the new while it is written", [wrote(0, 5, 1, at(2)), read(1, 2, at(2))]],
    ["new, then old, by readers at once", [wrote(0, 9, 1, at(2)), read(1, 4, at(2)), read(2, 5, first)]],
    ["times that touch are concurrent", [wrote(0, 2, 1, at(2)), read(2, 3, first)]],
    ["writes in a chain, sent in the other order", [wrote(0, 9, 2, at(3)), wrote(1, 8, 1, at(2))]],
    ["a deletion and reads that find nothing", [deleted(0, 3, 1), read(1, 2, first), notFound(2, 4), notFound(5, 6)]],
    ["a lost write that came late", [lost(0, 1, at(2)), read(5, 6, first), read(7, 8, at(2))]],
    ["a lost write that never came", [lost(0, 1, at(2)), wrote(1, 2, 1, at(3)), read(3, 4, at(3))]],
    ["a lost deletion that came", [lost(0, 1, "deleted"), notFound(5, 6)]],
    ["a lost deletion that did not", [lost(0, 1, "deleted"), read(5, 6, first)]],
  ])("%s", (_what, history) => expect(foundIn(history)).toBe("yes"));
});

describe("histories without one", () => {
  test.each<[string, Operation<OperationEffect>[]]>([
    ["two winners on one version", [wrote(0, 5, 1, at(2)), wrote(1, 6, 1, at(3))]],
    ["a stale read", [wrote(0, 1, 1, at(2)), read(2, 3, first)]],
    ["a read that goes back", [wrote(0, 9, 1, at(2)), read(1, 2, at(2)), read(3, 4, first)]],
    ["a read of what nobody wrote", [read(0, 1, at(2))]],
    ["a torn body", [wrote(0, 1, 1, at(2)), read(2, 3, at(2, "b1"))]],
    ["a read that finds nothing while it exists", [notFound(0, 1)]],
    ["a resurrection", [deleted(0, 1, 1), read(2, 3, first)]],
    ["a write to what was deleted", [deleted(0, 1, 1), wrote(2, 3, 1, at(2))]],
    ["an update seen, then undone", [wrote(0, 1, 1, at(2)), read(2, 3, at(2)), read(4, 5, first)]],
    ["a lost write seen and unseen", [lost(0, 1, at(2)), read(1, 2, at(2)), read(3, 4, first)]],
    ["a lost write on a version long past", [wrote(0, 1, 1, at(3)), lost(2, 1, at(2)), read(3, 4, at(2))]],
  ])("%s", (_what, history) => expect(foundIn(history)).toBe("no"));

  test("give the longest order found", () => {
    const history = [wrote(0, 1, 1, at(2)), read(2, 3, at(2)), read(4, 5, first)];
    expect(findLinearization(history, recordModel(first))).toEqual({ found: "no", order: history.slice(0, 2) });
  });
});

/** The definition of a linearization, by trying every order. */
function hasOrder<State, Effect>(
  history: readonly Operation<Effect>[],
  model: SequentialModel<State, Effect>,
  states: readonly State[],
): boolean {
  if (states.length === 0) return false;
  if (history.every(({ returned }) => returned === Infinity)) return true;
  return history.some((one, index) => {
    const rest = history.toSpliced(index, 1);
    if (rest.some((other) => other.returned < one.called)) return false;
    return hasOrder(
      rest,
      model,
      states.flatMap((state) => model.step(state, one.effect)),
    );
  });
}

const version = fc.integer({ min: 1, max: 3 });
const shown = fc.record({ version: version.map(String), body: fc.constantFrom("a", "b") });
const anyEffect: fc.Arbitrary<OperationEffect> = fc.oneof(
  fc.record({ kind: fc.constant("write" as const), expected: version.map(String), shown }),
  fc.record({ kind: fc.constant("write" as const), expected: fc.constant(undefined), shown }),
  fc.record({ kind: fc.constant("delete" as const), expected: version.map(String) }),
  fc.record({ kind: fc.constant("read" as const), shown }),
  fc.constant({ kind: "not-found" as const }),
  fc.record({
    kind: fc.constant("lost" as const),
    expected: version.map(String),
    possible: fc.array(fc.oneof(shown, fc.constant("deleted" as const)), { maxLength: 2 }),
  }),
);
const operation: fc.Arbitrary<Operation<OperationEffect>> = fc
  .record({ called: fc.nat(8), length: fc.nat(6), effect: anyEffect })
  .map(({ called, length, effect }) => ({
    called,
    returned: effect.kind === "lost" ? Infinity : called + length,
    effect,
  }));

test("comes to what trying every order comes to", () => {
  const start = { version: "1", body: "a" };
  const model = recordModel(start);
  const counts = { yes: 0, no: 0 };
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 5, size: "max" }), (history) => {
      const { found } = findLinearization(history, model);
      counts[found === "yes" ? "yes" : "no"] += 1;
      expect(found).toBe(hasOrder(history, model, [start]) ? "yes" : "no");
    }),
    { numRuns: 3000, seed: 5 },
  );
  expect(Math.min(counts.yes, counts.no)).toBeGreaterThan(300);
});

/** A history that a real register made: each operation takes effect at some moment of its interval. */
const made = fc
  .array(
    fc.record({
      start: fc.nat(60),
      length: fc.integer({ min: 1, max: 20 }),
      moment: fc.nat(100),
      writes: fc.boolean(),
      stale: fc.boolean(),
    }),
    {
      minLength: 1,
      maxLength: 24,
      size: "max",
    },
  )
  .map((plans) => {
    let state = { version: "1", body: "a" };
    let count = 1;
    const past = [state.version];
    return plans
      .map((plan) => ({ ...plan, effect: plan.start + (plan.length * plan.moment) / 100 }))
      .sort((a, b) => a.effect - b.effect)
      .flatMap(({ start, length, writes, stale }): Operation<OperationEffect>[] => {
        const interval = { called: start, returned: start + length };
        if (!writes) return [{ ...interval, effect: { kind: "read", shown: state } }];
        const expected = stale ? (past[0] ?? "1") : state.version;
        if (expected !== state.version) return [];
        count += 1;
        state = { version: String(count), body: `written ${count}` };
        past.push(state.version);
        return [{ ...interval, effect: { kind: "write", expected, shown: state } }];
      });
  });

describe("histories of a real register", () => {
  test("always have an explanation, within the budget", () => {
    const model = recordModel({ version: "1", body: "a" });
    fc.assert(
      fc.property(made, (history) => findLinearization(history, model).found === "yes"),
      { numRuns: 500, seed: 3 },
    );
  });

  test("have readings that show only what was", () => {
    fc.assert(
      fc.property(made, (history) => impossibleReads({ version: "1", body: "a" }, history).length === 0),
      { numRuns: 300, seed: 4 },
    );
  });

  test("have none once a version was given out twice", () => {
    fc.assert(
      fc.property(made, (history) => {
        const write = history.find(({ effect }) => effect.kind === "write");
        fc.pre(write !== undefined);
        const twice = {
          ...write,
          effect: { ...write.effect, shown: { version: "1000", body: "second" } },
        } as Operation<OperationEffect>;
        return findLinearization([...history, twice], recordModel({ version: "1", body: "a" })).found === "no";
      }),
      { numRuns: 200, seed: 6 },
    );
  });
});

test("a budget that ends says nothing", () => {
  const tangled = Array.from({ length: 12 }, (_, index) => wrote(0, 100, index + 2, at(index + 3)));
  expect(findLinearization([...tangled, ...tangled], recordModel(first), 0).found).toBe("no");
  const many = Array.from({ length: 30 }, () => read(0, 100, first));
  expect(findLinearization([...many, read(0, 100, at(9))], recordModel(first), 20).found).toBe("unknown");
});

test("a search of many equal readings ends soon", () => {
  const many = Array.from({ length: 200 }, (_, index) => read(index, index + 2, first));
  expect(findLinearization([...many, read(300, 301, at(9))], recordModel(first)).found).toBe("no");
});

describe("reads from replicas that lag", () => {
  test("are possible where they show what the record was", () => {
    const history = [wrote(0, 1, 1, at(2)), read(2, 3, first), read(4, 5, at(2)), read(6, 7, first)];
    expect(impossibleReads(first, history)).toEqual([]);
    expect(findLinearization(withoutReads(history), recordModel(first)).found).toBe("yes");
  });

  test("are impossible where they show what it never was, or was not yet", () => {
    const torn = read(2, 3, at(2, "b1"));
    const early = read(2, 3, at(3));
    const tooEarly = notFound(2, 3);
    const history = [wrote(0, 1, 1, at(2)), torn, early, wrote(4, 5, 2, at(3)), tooEarly, deleted(8, 9, 3)];
    expect(impossibleReads(first, history)).toEqual([torn, early, tooEarly]);
  });
});

test("overlaps are counted by pair", () => {
  expect(countOverlaps([read(0, 1, first), read(2, 3, first)])).toBe(0);
  expect(countOverlaps([read(0, 2, first), read(2, 3, first), read(1, 5, first)])).toBe(3);
});
