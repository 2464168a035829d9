import { type PackageName, packageNames } from "../../proto/rpcs.ts";
import { type Outliving, undoOutliving } from "./outliving.ts";

/** What lives for a phase of a package, and is undone when that phase ends. */
export interface RunPhase {
  /** How many phases of the package are over. */
  number(packageName: PackageName): number;
  /** Keeps something that cases share to be undone at the end of the package's phase. */
  atEnd(packageName: PackageName, shared: Outliving): void;
  /** Goes on with an undoing behind the package's cases, which the end of the phase waits for. */
  behind(packageName: PackageName, undoing: Promise<void>): void;
  /** Ends the package's phase: waits for the undoing behind its cases, and undoes what they shared. */
  end(packageName: PackageName): Promise<void>;
  /** Ends the phases of all packages, once nothing is undone behind cases any more. */
  endAll(): Promise<void>;
}

/** Creates the phases of a run, the first of each package begun. */
export function createRunPhase(): RunPhase {
  const numbers = new Map<PackageName, number>();
  const shared = new Map<PackageName, Outliving[]>();
  const undoings = new Map<PackageName, Set<Promise<void>>>();
  const number = (packageName: PackageName) => numbers.get(packageName) ?? 0;
  const settled = async (packageName: PackageName) => {
    await Promise.allSettled([...(undoings.get(packageName) ?? [])]);
  };
  async function end(packageName: PackageName): Promise<void> {
    await settled(packageName);
    numbers.set(packageName, number(packageName) + 1);
    const own = shared.get(packageName) ?? [];
    shared.delete(packageName);
    await undoOutliving(own);
  }
  return {
    number,
    atEnd(packageName, one) {
      shared.set(packageName, [...(shared.get(packageName) ?? []), one]);
    },
    behind(packageName, undoing) {
      const own = undoings.get(packageName) ?? new Set();
      undoings.set(packageName, own);
      const noted = undoing.finally(() => own.delete(noted));
      own.add(noted);
    },
    end,
    async endAll() {
      while ([...undoings.values()].some(({ size }) => size > 0)) await Promise.all(packageNames.map(settled));
      // Undoing may share something for the first time, which is then to be undone too.
      do await Promise.all(packageNames.map(end));
      while ([...shared.values()].some((own) => own.length > 0));
    },
  };
}
