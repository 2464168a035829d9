import type { RpcRow } from "../../proto/rpcs.ts";

/** How many cases are under way at once, by how much a target lets there be at a time: of runs, say, or of sessions. */
export interface Crowd {
  /** Cases under way at once, at most; infinite while the target lets there be what they need. */
  readonly most: number;
  /** Notes that a case is under way. Returns what notes that it is over. */
  enter(): () => void;
  /** Notes that an RPC has refused a call for a while, as there is too much by now: fewer cases are put at once. */
  narrow(): void;
  /**
   * Notes that a call was given up for that.
   * @returns whether it may be served with fewer cases under way: not where its RPC, or all of them, have served nobody since many
   * were given up
   */
  gaveUp(row: RpcRow): boolean;
  /** Notes that an RPC served a call. */
  served(row: RpcRow): void;
}

/** Cases that go on beside each other however full the target is, but for what they share. */
const fewest = 2;
/** What is refused within so many milliseconds is one sign of too many cases. */
const coolMs = 1000;
/** What each case that ends adds to how many may be under way. */
const growth = 1 / 16;
/** Calls given up in a row after which what there is too much of is not what cases have: a quota of the month, say. */
const hopeless = 40;

/** Begins with no bound. */
export function createCrowd(now: () => number = () => performance.now()): Crowd {
  let most = Number.POSITIVE_INFINITY;
  let underWay = 0;
  let coolUntil = Number.NEGATIVE_INFINITY;
  const givenUp = new Map<string, number>();
  /** Since anybody was served anything. */
  let givenUpInAll = 0;
  return {
    get most() {
      return [...givenUp.values()].some((count) => count >= hopeless) ? Number.POSITIVE_INFINITY : Math.floor(most);
    },
    enter() {
      underWay += 1;
      return () => {
        underWay -= 1;
        most += growth;
      };
    },
    narrow() {
      if (now() < coolUntil) return;
      coolUntil = now() + coolMs;
      most = Math.max(fewest, Math.min(most, underWay) / 2);
    },
    gaveUp({ name }) {
      const count = (givenUp.get(name) ?? 0) + 1;
      givenUp.set(name, count);
      givenUpInAll += 1;
      return count < hopeless && givenUpInAll < hopeless;
    },
    served({ name }) {
      givenUp.delete(name);
      givenUpInAll = 0;
    },
  };
}
