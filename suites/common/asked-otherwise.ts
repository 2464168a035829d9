import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { continuedAttempts } from "./continued-attempts.ts";
import {
  filledAttempts,
  singleFieldAttempts,
  turnedAttempts,
  unfilteredAttempts,
  unidentifiedAttempts,
} from "./filled-attempts.ts";
import type { Attempt } from "./refusals.ts";

/**
 * The attempts once more in other requests: one that goes on with a reading, filters, turns a switch, chooses otherwise,
 * sets one thing alone, lists all there is or has no requestId may be served by code that checks less.
 */
export async function askedOtherwise(
  context: CaseContext,
  valid: JsonObject,
  subject: Subject | undefined,
  attempts: readonly Attempt[],
): Promise<readonly Attempt[]> {
  return [
    ...(await continuedAttempts(context, subject, attempts)),
    ...(await filledAttempts(context, valid, subject, attempts)),
    ...turnedAttempts(context, valid, attempts),
    ...singleFieldAttempts(context, valid, attempts),
    ...unfilteredAttempts(context, valid, attempts),
    ...unidentifiedAttempts(context, valid, attempts),
  ];
}
