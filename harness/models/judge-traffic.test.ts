import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { Reply } from "../wire/reply.ts";
import { judgeTraffic } from "./judge-traffic.ts";
import type { ShownRecord } from "./operation-model.ts";
import type { ObservedOperation } from "./traffic.ts";

const reply = {} as Reply;
const shown = (version: number, name = `n${version}`): ShownRecord => ({
  version: String(version),
  body: JSON.stringify({ name }),
});
const record = (version: number, name = `n${version}`): JsonObject => ({ resourceVersion: String(version), name });
const first = shown(1);

function read(called: number, returned: number, version: number, name?: string): ObservedOperation {
  const effect = { kind: "read", shown: shown(version, name) } as const;
  return { client: 0, what: "read", called, returned, effect, reply, record: record(version, name) };
}
function wrote(called: number, returned: number, expected: number, version: number): ObservedOperation {
  const effect = { kind: "write", expected: String(expected), shown: shown(version) } as const;
  return { client: 1, what: "update", called, returned, effect, reply, record: record(version) };
}
function lost(called: number, expected: number, request: JsonObject): ObservedOperation {
  const effect = { kind: "lost", expected: String(expected), possible: [] } as const;
  return { client: 2, what: "update, hung up", called, returned: Infinity, effect, reply: undefined, request };
}

describe("a record that only mutations change", () => {
  test("is explained by an order", () => {
    const history = [wrote(0, 5, 1, 2), read(1, 2, 1), wrote(6, 9, 2, 3)];
    expect(judgeTraffic(first, history, read(10, 11, 3), false)).toEqual({ is: "explained", lagging: false });
  });

  test("may be read from replicas that lag, which the verdict says", () => {
    const history = [wrote(0, 1, 1, 2), read(2, 3, 1), read(4, 5, 2), read(6, 7, 1)];
    expect(judgeTraffic(first, history, read(10, 11, 2), false)).toEqual({ is: "explained", lagging: true });
  });

  test("may still catch up where its last read shows an earlier state", () => {
    const update = wrote(0, 1, 1, 2);
    const verdict = judgeTraffic(first, [update], read(10, 11, 1), false);
    expect(verdict).toEqual({ is: "last-read-stale", previous: update });
  });

  test("is never mutated twice at one version", () => {
    const later = wrote(1, 6, 1, 3);
    const earlier = wrote(0, 5, 1, 2);
    const verdict = judgeTraffic(first, [earlier, later], read(10, 11, 3), false);
    expect(verdict).toEqual({ is: "impossible", operation: later, previous: earlier });
  });

  test("is told by the two mutations of one version, whatever followed from either", () => {
    const [one, other] = [wrote(0, 5, 1, 2), wrote(1, 6, 1, 3)];
    const verdict = judgeTraffic(first, [one, other, wrote(7, 8, 2, 4), wrote(7, 9, 3, 5)], read(10, 11, 5), false);
    expect(verdict).toMatchObject({ is: "impossible", operation: other, previous: one });
  });

  test("is told by what was before where a version came from nowhere", () => {
    const [one, odd] = [wrote(0, 1, 1, 2), wrote(2, 3, 7, 8)];
    const verdict = judgeTraffic(first, [one, odd], read(10, 11, 8), false);
    expect(verdict).toEqual({ is: "impossible", operation: odd, previous: one });
  });

  test("never shows a state that nothing wrote once nothing changes", () => {
    const dirty = read(1, 2, 1, "dirty");
    expect(judgeTraffic(first, [], dirty, false)).toEqual({ is: "last-read-stale", previous: undefined });
  });

  test("may show a state in between while mutations go on, which the verdict says", () => {
    const between = read(1, 2, 1, "between");
    expect(judgeTraffic(first, [between], read(10, 11, 1), false)).toEqual({ is: "explained", lagging: true });
  });

  test("may show the values of a mutation whose reply was lost, at any time", () => {
    const history = [lost(0, 1, { name: "n7" }), read(3, 4, 1), read(5, 6, 7)];
    expect(judgeTraffic(first, history, read(10, 11, 7), false)).toEqual({ is: "explained", lagging: false });
    expect(judgeTraffic(first, history.slice(0, 2), read(10, 11, 1), false)).toEqual({
      is: "explained",
      lagging: false,
    });
    const other = [lost(0, 1, { name: "n8" }), read(5, 6, 7)];
    expect(judgeTraffic(first, other, read(10, 11, 7), false)).toMatchObject({ is: "last-read-stale" });
  });
});

test("a record that changes by itself may show versions of its own, but each version is mutated once", () => {
  const history = [read(1, 2, 5), wrote(3, 4, 5, 6)];
  expect(judgeTraffic(first, history, read(10, 11, 9), true)).toEqual({ is: "explained", lagging: false });
  const twice = [wrote(0, 5, 1, 2), wrote(1, 6, 1, 3)];
  expect(judgeTraffic(first, twice, read(10, 11, 3), true)).toMatchObject({ is: "impossible" });
});

test("a mutation whose reply was lost is told by what is compared, whatever else a record shows and however ids are spelled", () => {
  const ids = (letters: string) => ({ value: `01890a5d-${letters}-774b-bcce-b302099a8057` });
  const body = JSON.stringify({ app: ids("ac96") });
  const between: ObservedOperation = {
    ...read(3, 4, 2),
    effect: { kind: "read", shown: { version: "2", body } },
    record: { resourceVersion: "2", app: ids("AC96"), value: null },
  };
  const history = [lost(0, 1, { app: ids("aC96"), value: "YQ==" }), between, wrote(5, 6, 2, 3)];
  const verdict = judgeTraffic({ version: "1", body }, history, read(7, 8, 3), false);
  expect(verdict).toEqual({ is: "explained", lagging: false });
});
