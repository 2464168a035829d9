import { ScalarType } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { numericVersion } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import type { RpcRow } from "../../proto/rpcs.ts";

/** The ends of the range of versions: 64 bits, signed in alpha.v1, unsigned in beta.v1. */
const rangeOf = (signed: boolean) =>
  signed ? { smallest: -(2n ** 63n), largest: 2n ** 63n - 1n } : { smallest: 0n, largest: 2n ** 64n - 1n };

/** Some servers keep versions in signed 64 bits, and say of a larger one that it is none; as others do of one below zero. */
const largestSigned = 2n ** 63n - 1n;

/** alpha.v1 counts versions in signed, beta.v1 in unsigned 64 bits. */
function isSigned({ expectedVersion }: RpcRow): boolean {
  return expectedVersion?.field.scalar === ScalarType.INT64;
}

/** A version that is not the current one. */
interface WrongVersion {
  readonly version: string;
  /** What it is, other than the current: `the previous one`. */
  readonly what: string;
  /** It may be refused for another reason than that it is not current. */
  readonly forAnyReason: boolean;
}

/**
 * Versions that differ from a subject's but that a careless comparison takes for it: as a double, in 32 bits, without sign,
 * or not at all. For a record that is not `steady`, but changes by itself, the next version is left out: it may become
 * current any moment.
 */
export function wrongVersions(
  row: RpcRow,
  subject: Pick<Subject, "version">,
  steady: boolean,
): readonly WrongVersion[] {
  const current = numericVersion(subject);
  const signed = isSigned(row);
  const { smallest, largest } = rangeOf(signed);
  const candidates: [bigint, string][] = [
    [current + 1_000_000n, "far ahead"],
    [current + 2n ** 32n, "the same in its low 32 bits"],
    [current + 2n ** 53n, "the same below 2^53"],
    [current + 2n ** 62n, "the same below 2^62"],
    [2n ** 53n + 1n, "not representable as a double"],
    [largest, "the largest possible"],
    [-current, "negated"],
    [-1n, "minus one"],
    [current - 1n, "the previous one"],
  ];
  if (signed) candidates.push([smallest, "the smallest possible"]);
  else {
    candidates.push(
      [largest - 1n, "the one before the largest"],
      [largestSigned, "the largest with a sign"],
      [current + 2n ** 63n, "the same but for its highest bit"],
      [2n ** 64n - current, "negated, without its sign"],
    );
  }
  if (steady) candidates.push([current + 1n, "the next one"]);
  // Zero may mean that no version is given, which is open.
  const fitting = candidates.filter(
    ([version]) => version !== current && version !== 0n && version <= largest && version >= smallest,
  );
  return [...new Map(fitting.toReversed())].toReversed().map(([version, what]) => ({
    version: String(version),
    what,
    forAnyReason: version > largestSigned || version < 0n,
  }));
}

/**
 * Calls the case's RPC at versions that are not a subject's, which may change by itself, and judges that each is refused.
 *
 * @param earlier a version it had before, and what that is; where it had none, or has it still, it is not sent
 * @returns the replies; some are served where that was a breach
 */
export async function judgeWrongVersions(
  context: CaseContext,
  subject: Subject,
  earlier: Pick<WrongVersion, "version" | "what">,
): Promise<readonly Reply[]> {
  const { row, setup, call, judge } = context;
  const field = row.expectedVersion?.name ?? "";
  const baseUrl = setup.baseUrl(row, subject);
  const isPast = earlier.version !== subject.version && earlier.version !== "0";
  const wrong = [...(isPast ? [earlier] : []), ...wrongVersions(row, subject, false)];
  const valid = await setup.request(row, subject);
  return Promise.all(
    [...new Map(wrong.toReversed().map(({ version, what }) => [version, what]))].map(async ([version, what]) => {
      const reply = await call(row, { ...valid, [field]: version, ...freshRequestId(row, setup) }, { baseUrl });
      judge(reply).isRefused({ because: `${field} ${version} is not the current ${subject.version}, but ${what}` });
      return reply;
    }),
  );
}
