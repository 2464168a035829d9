import { ScalarType } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import type { Attempt } from "../common/refusals.ts";

/** Bytes that a store may keep in another place than short ones. */
const longBytes = 8192;

/** Calls that expect a version far from the current one, and send a long secret: it may be stored by other code. */
export function longFar({ row, setup, random }: CaseContext, version: string): readonly Attempt[] {
  return row.writeOnly.map(({ name, field }): Attempt => {
    const secret = random.token(longBytes);
    const value = field.scalar === ScalarType.BYTES ? Buffer.from(secret).toString("base64") : secret;
    return {
      because: `with a long ${name}, too, ${version} is not the current version`,
      changes: { [name]: value, [row.expectedVersion?.name ?? ""]: version, ...freshRequestId(row, setup) },
      // It may be longer than the target takes.
      forAnyReason: true,
    };
  });
}
