import type { Instance } from "../case/plan.ts";
import type { CaseResult } from "../case/result.ts";

/** How a test of an instance is called: `version/stale-is-refused · alpha.v1.SecretService/RotateSecret`. */
export function titleOf({ case: one, row }: Instance): string {
  return `${one.id} · ${row.name}`;
}

/** Why a result is not green, in full, and how it is replayed; begins with its outcome. */
export function messageOf({ outcome, reason, findings, replay }: CaseResult): string {
  const told = findings.map(
    ({ rpc, rule, level, clause, expected, actual }) =>
      `${rpc}: ${rule}\n  clause   ${level} · ${clause}\n  expected ${expected}\n  actual   ${actual}`,
  );
  return [outcome, ...(reason === undefined ? [] : [reason]), ...told, `replay: ${replay}`].join("\n");
}

/** A case that did not hold; its message says why, in full. */
export class NotHeld extends Error {
  override readonly name: "NotHeld" | "AssertionError" = "NotHeld";
}

/** A case that is violated: by its name runners and Allure tell a failed assertion from a test that could not judge. */
export class Violated extends NotHeld {
  override readonly name = "AssertionError";
}

/**
 * Fails the test of a case that did not hold. What was not exercised proved nothing and is no exception: a runner that
 * can skip a test skips it before, for `result.reason`.
 * @throws NotHeld with the clause broken, what was expected, what came, and the command that repeats it
 */
export function assertHeld(result: CaseResult): void {
  if (result.outcome === "held") return;
  throw result.outcome === "violated" ? new Violated(messageOf(result)) : new NotHeld(messageOf(result));
}
