import { type PackageName, packageNames } from "../../proto/rpcs.ts";

/** What lives for a phase of a package, and is undone when that phase ends. */
export interface RunPhase {
  /** How many phases of the package are over. */
  number(packageName: PackageName): number;
  /** Registers an undoing for the end of the package's phase. */
  atEnd(packageName: PackageName, action: () => Promise<void>): void;
  /** Ends the package's phase: waits for the undoing behind its cases, and undoes what they shared, the last first. */
  end(packageName: PackageName): Promise<void>;
  /** Ends the phases of all packages. */
  endAll(): Promise<void>;
}

/** @param background the undoing that goes on behind the cases */
export function createRunPhase(background: ReadonlySet<Promise<void>>): RunPhase {
  const numbers = new Map<PackageName, number>();
  const actions = new Map<PackageName, (() => Promise<void>)[]>();
  const number = (packageName: PackageName) => numbers.get(packageName) ?? 0;
  async function end(packageName: PackageName): Promise<void> {
    // What other packages begin to undo meanwhile is not waited for.
    await Promise.allSettled([...background]);
    numbers.set(packageName, number(packageName) + 1);
    const own = actions.get(packageName) ?? [];
    actions.delete(packageName);
    for (const action of own.toReversed()) await action();
  }
  return {
    number,
    atEnd(packageName, action) {
      actions.set(packageName, [...(actions.get(packageName) ?? []), action]);
    },
    end,
    async endAll() {
      // Undoing may share something for the first time, which is then to be undone too.
      do for (const name of packageNames) await end(name);
      while ([...actions.values()].some((own) => own.length > 0));
    },
  };
}
