import type { CallOptions } from "../../harness/case/call.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { unreadExempt } from "./compressed.ts";
import type { Attempt } from "./refusals.ts";

/** What a proxy adds of a client within its own network, whom a server may take for one of its own; and a client's deadline. */
const forwarded: CallOptions = {
  headers: [
    ["x-forwarded-for", "127.0.0.1"],
    ["x-real-ip", "127.0.0.1"],
    ["forwarded", "for=127.0.0.1"],
    ["connect-timeout-ms", "60000"],
  ],
};

/** The attempts once more as other clients send them: none of it says who calls, nor what they may do. */
export function dressedAttempts({ row, target }: CaseContext, attempts: readonly Attempt[]): readonly Attempt[] {
  const dresses: readonly (readonly [what: string, options: CallOptions])[] = [
    ["comes through a proxy, with a deadline", forwarded],
    ["comes from a page of the server's own", { headers: [["origin", new URL(target.baseUrlOf(row)).origin]] }],
    ["comes in pieces, without its length", { pieces: 2 }],
  ];
  return dresses.flatMap(([what, options]) =>
    attempts.map((attempt) => ({
      ...attempt,
      because: `${attempt.because}, and ${what}`,
      options: { ...attempt.options, ...options, exempt: unreadExempt },
      // A server may refuse the origin, or a body of unknown length, without reading further.
      forAnyReason: true,
      oddForm: true,
    })),
  );
}
