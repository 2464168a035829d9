import { type AttributedFinding, caseOf, isPlain, isRefusal } from "./attributed-finding.ts";
import { failureCodes } from "./failure-codes.ts";

/** What a server that fails now and then answers, whatever it was asked for. */
export interface ScatteredFailures {
  /** RPCs of which valid calls failed: each served its plain call. */
  readonly rpcs: readonly string[];
  /** The code most of them failed with. */
  readonly code: string;
}

/** Refusals by which a server says that it failed: of a stream, in its end. */
const serverError = new RegExp(`^refused: HTTP (?:5\\d\\d|200) (${[...failureCodes].join("|")})\\b`);

/** The code of a server error that a valid call was answered with; undefined for any other finding. */
function failedWith({ finding: { expected, actual } }: AttributedFinding): string | undefined {
  return expected.startsWith("the call is served") ? serverError.exec(actual)?.[1] : undefined;
}

/** True of a valid call that was answered with a server error. */
export const isFailedCall = (one: AttributedFinding): boolean => failedWith(one) !== undefined;

/** Fewer RPCs or cases than this may have a breach of their own in common. */
const fewest = 3;

/**
 * Valid calls that failed with a server error here and there: at several RPCs that serve their plain call, and in several cases of
 * which none makes up most, as what one form of request brings about is seen by one case at every RPC. Undefined where there are none such.
 */
export function scatteredFailuresOf(findings: readonly AttributedFinding[]): ScatteredFailures | undefined {
  const unserved = new Set(findings.filter((one) => isPlain(one) && isRefusal(one)).map(({ finding }) => finding.rpc));
  const failed = findings.filter((one) => isFailedCall(one) && !unserved.has(one.finding.rpc));
  const rpcs = [...new Set(failed.map(({ finding }) => finding.rpc))];
  const places = [...new Map(failed.map((one) => [`${caseOf(one)} ${one.finding.rpc}`, caseOf(one)])).values()];
  const ofCase = [...Map.groupBy(places, (id) => id).values()].map(({ length }) => length);
  if (rpcs.length < fewest || ofCase.length < fewest || Math.max(...ofCase) * 2 > places.length) return undefined;
  const codes = Map.groupBy(
    failed.flatMap((one) => failedWith(one) ?? []),
    (code) => code,
  );
  const [code = ""] = [...codes].toSorted(([, a], [, b]) => b.length - a.length).map(([name]) => name);
  return { rpcs, code };
}
