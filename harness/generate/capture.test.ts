import fc from "fast-check";
import { expect, test } from "vitest";
import { captureValues, readOnce } from "./capture.ts";

/** The values a stock sequential check runs on. */
async function stockValues(arbitrary: fc.Arbitrary<number>, seed: number, numRuns: number): Promise<number[]> {
  const values: number[] = [];
  await fc.check(
    fc.asyncProperty(arbitrary, async (value) => {
      values.push(value);
    }),
    { seed, numRuns },
  );
  return values;
}

test("the values are those of a stock check, from any index on, and the property is not run", async () => {
  const stock = await stockValues(fc.integer(), 5, 30);
  const property = fc.asyncProperty(fc.integer(), (_value: number) => Promise.reject(new Error("must not run")));
  const captured = (start: number, count: number) =>
    captureValues(property, 5, start, count).map(({ input: [value] }) => value);
  expect(captured(0, 30)).toEqual(stock);
  expect(captured(7, 4)).toEqual(stock.slice(7, 11));
});

test("a captured value keeps the source that shrinks it", () => {
  const property = fc.asyncProperty(fc.integer({ min: 0, max: 1000 }), async (_value: number) => {});
  const [captured] = captureValues(property, 3, 0, 1);
  if (captured === undefined) throw new Error("nothing was captured");
  const smaller = [...property.shrink(captured.source)].map((one) => readOnce(one).input[0]);
  expect(captured.input[0]).toBeGreaterThan(0);
  expect(smaller[0]).toBe(0);
});
