import type { Phase } from "../case/phase.ts";
import type { Crowd } from "./crowd.ts";
import type { Seats } from "./seats.ts";

/** Sees to it that cases of one phase alone are under way, and of no phase more than it allows. */
export interface Phases {
  /** Runs a case once its phase is on and there is room in it. */
  run<T>(phase: Phase, task: () => Promise<T>): Promise<T>;
}

/**
 * Cases about endpoints, and about deliveries, that are under way at once, at most: each has endpoints as long as it goes on, and
 * what ends meanwhile is delivered to all of them.
 */
const [mostEndpoints, mostDeliveries] = [8, 3];

/** How many endpoints a case has at a time, roughly. */
const endpointsOfOne = 3;

/** Cases of a phase that are under way at once, at most. @param endpoints how many of them there may be, if that is known */
function roomsFor(endpoints: number | undefined): Readonly<Record<Phase, number>> {
  const fit = endpoints === undefined ? Number.POSITIVE_INFINITY : Math.floor(endpoints / endpointsOfOne);
  const few = (most: number) => Math.max(1, Math.min(most, fit));
  const all = Number.POSITIVE_INFINITY;
  return { opening: all, work: all, endpoints: few(mostEndpoints), deliveries: few(mostDeliveries) };
}

/**
 * Begins with no phase on. A phase goes on while there are cases for it; then comes that of the case that waited longest.
 *
 * @param end clears up what is left of a phase, before the next one begins; never rejects
 * @param crowd how many cases the target bears at once
 * @param seats how many cases are under way at once beside those of other phases
 * @param endpoints how many webhook endpoints there may be at a time, where the target file says so
 */
export function createPhases(
  end: (phase: Phase) => Promise<void>,
  crowd: Pick<Crowd, "most">,
  seats: Seats,
  endpoints?: number,
): Phases {
  const rooms = roomsFor(endpoints);
  const waiting: { readonly phase: Phase; readonly start: () => void }[] = [];
  let on: Phase | undefined;
  let underWay = 0;
  let ending = false;

  /** Starts what may start now. */
  function advance(): void {
    while (!ending) {
      const next = waiting.findIndex(({ phase }) => phase === on);
      if (on !== undefined && next !== -1) {
        if (underWay >= Math.min(rooms[on], crowd.most) || !seats.take()) return;
        underWay += 1;
        for (const { start } of waiting.splice(next, 1)) start();
      } else {
        const [first] = waiting;
        if (first === undefined || underWay > 0) return;
        if (on !== undefined) clearUp(on);
        on = first.phase;
      }
    }
  }

  function clearUp(over: Phase): void {
    ending = true;
    void end(over).finally(() => {
      ending = false;
      advance();
    });
  }

  seats.whenFree(advance);
  return {
    async run(phase, task) {
      await new Promise<void>((start) => {
        waiting.push({ phase, start });
        advance();
      });
      try {
        return await task();
      } finally {
        underWay -= 1;
        seats.give();
        // A driver that puts the next case at once keeps the phase on.
        queueMicrotask(advance);
      }
    },
  };
}
