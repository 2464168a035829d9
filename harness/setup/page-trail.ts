import type { Reply } from "../wire/reply.ts";

/** A page that was read: the cursor that led to it, and how many records had been read before it. */
interface Step {
  readonly cursor: string;
  readonly count: number;
}

/** The pages of a traversal, so that it can go back where a cursor is not good any more. */
export interface PageTrail {
  /** Tells of a page that was read. */
  read(step: Step): void;
  /**
   * The page to read again instead of the one that a cursor was refused for; undefined where there is none, or where that cursor was
   * refused before: then what is read again leads to it again.
   */
  back(cursor: string, reply: Reply): Step | undefined;
}

/**
 * Begins a traversal. How long a cursor is good for is not shown: one may stand for the record that a page ended with, and be refused
 * once that was deleted. Read again, the page ends with another.
 */
export function createTrail(): PageTrail {
  const steps: Step[] = [];
  const refused = new Set<string>();
  return {
    read: (step) => void steps.push(step),
    back(cursor, { outcome }) {
      if (outcome !== "refused" || cursor === "" || refused.has(cursor)) return undefined;
      refused.add(cursor);
      return steps.pop();
    },
  };
}
