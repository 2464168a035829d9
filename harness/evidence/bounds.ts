import { bodyOf, type Exchange } from "../wire/exchange.ts";
import type { Bodies } from "./left-out.ts";

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** How much of the bodies of exchanges evidence holds, in bytes. */
export const evidenceBounds = {
  /** Of one exchange. */
  exchange: 256 * kilobyte,
  /** Exchanges up to this size are kept as long as the run is within its bound. */
  small: 16 * kilobyte,
  /** Of all larger ones. */
  large: 32 * megabyte,
  /** Of all. A whole run on the references comes to some 50 MB. */
  run: 512 * megabyte,
} as const;

/** What a piece of a body takes beside its bytes. */
const pieceBytes = 32;

/** Counts what was kept of bodies, and says which are not kept any more. */
export interface EvidenceAllowance {
  /** The bodies of an exchange that are left out; undefined where both are kept. */
  excessOf(exchange: Exchange): Bodies | undefined;
}

/** An allowance of which nothing is used up. */
export function createAllowance(
  bounds: Readonly<Record<keyof typeof evidenceBounds, number>> = evidenceBounds,
): EvidenceAllowance {
  let [all, large] = [0, 0];
  return {
    excessOf({ request, response }) {
      const asked = request.body.byteLength;
      const chunks = response?.chunks ?? [];
      const answered = chunks.reduce((sum, { bytes }) => sum + bytes.byteLength + pieceBytes, 0);
      const size = asked + answered;
      const isLarge = size > bounds.small;
      const isKept = size <= bounds.exchange && all + size <= bounds.run && (!isLarge || large + size <= bounds.large);
      if (isKept) {
        all += size;
        if (isLarge) large += size;
        return undefined;
      }
      const isAskedLong = asked > bounds.small;
      return {
        ...(isAskedLong ? { request: request.body } : {}),
        ...(response === undefined || (isAskedLong && answered <= bounds.small) ? {} : { response: bodyOf(response) }),
      };
    },
  };
}
