import { type JsonObject, ScalarType } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { fillRequest } from "../../harness/setup/filled-request.ts";
import { numericVersion } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { storedFields, widerListing } from "../../proto/resources.ts";
import { Effect, isReadOnly } from "../../proto/rpcs.ts";
import type { Attempt } from "./refusals.ts";

/** A place after which a stream about a subject may be resumed. To begin from zero is to leave it out. */
export function placeToResume(subject: Subject | undefined): string {
  // Of a version, the one before the subject's is one to resume after.
  const version = subject === undefined ? 0n : numericVersion(subject);
  return String(version > 2n ? version - 1n : 1n);
}

/** The optional fields of a row's request with values of their own; none where the valid request has all there are. */
export async function optionalFields(
  { row, setup }: CaseContext,
  valid: JsonObject,
  subject: Subject | undefined,
): Promise<JsonObject> {
  const filled = await fillRequest(setup, row, valid, subject);
  const more = Object.fromEntries(Object.entries(filled).filter(([name]) => valid[name] === undefined));
  if (row.resumeAfter === undefined) return more;
  return { ...more, [row.resumeAfter.name]: placeToResume(subject) };
}

/** The attempts once more with each switch turned and each choice made otherwise: what a call comes to may decide what it is checked for. */
export function turnedAttempts(
  { row, setup }: CaseContext,
  valid: JsonObject,
  attempts: readonly Attempt[],
): readonly Attempt[] {
  const turned = row.input.fields.flatMap((field): JsonObject[] => {
    const name = field.jsonName;
    if (field.scalar === ScalarType.BOOL) return [{ [name]: valid[name] !== true }];
    const values = field.fieldKind === "enum" && row.list === undefined ? field.enum.values.slice(1) : [];
    return values.filter((value) => value.name !== valid[name]).map((value) => ({ [name]: value.name }));
  });
  return turned.flatMap((fields) =>
    attempts.map((attempt) => ({
      ...attempt,
      because: `${attempt.because}, with ${Object.keys(fields)[0]} as ${Object.values(fields)[0]}`,
      changes: { ...fields, ...freshRequestId(row, setup), ...attempt.changes },
    })),
  );
}

/** The attempts once more with every optional field filled: a field may lead to a look-up that checks less. */
export async function filledAttempts(
  context: CaseContext,
  valid: JsonObject,
  subject: Subject | undefined,
  attempts: readonly Attempt[],
): Promise<readonly Attempt[]> {
  const { row, setup } = context;
  const more = await optionalFields(context, valid, subject);
  if (Object.keys(more).length === 0) return [];
  return attempts.map((attempt) => ({
    ...attempt,
    because: `${attempt.because}, and fills every field`,
    changes: { ...more, ...freshRequestId(row, setup), ...attempt.changes },
  }));
}

/** The attempts once more in readings without a requestId, by which a server may know a call; that one is served without it is not shown. */
export function unidentifiedAttempts(
  { row }: CaseContext,
  valid: JsonObject,
  attempts: readonly Attempt[],
): readonly Attempt[] {
  const field = row.requestId?.name;
  if (field === undefined || !isReadOnly(row)) return [];
  return attempts.map((attempt) => {
    const { [field]: _, ...request } = { ...valid, ...attempt.changes };
    return { ...attempt, because: `${attempt.because}, and has no requestId`, request, forAnyReason: true };
  });
}

/** The attempts once more in a listing of all there is, where the valid one names what its records are of; that one may leave this out is not shown. */
export function unfilteredAttempts(
  { row, setup }: CaseContext,
  valid: JsonObject,
  attempts: readonly Attempt[],
): readonly Attempt[] {
  const wide = row.list === undefined ? undefined : widerListing(row, valid);
  if (wide === undefined) return [];
  return attempts.map((attempt) => ({
    ...attempt,
    because: `${attempt.because}, and lists all there is`,
    request: { ...wide, ...freshRequestId(row, setup), ...attempt.changes },
    forAnyReason: true,
  }));
}

/** The attempts once more with one of the fields that an update sets alone: the others may bring the check with them. */
export function singleFieldAttempts(
  { row, setup }: CaseContext,
  valid: JsonObject,
  attempts: readonly Attempt[],
): readonly Attempt[] {
  const ids = new Set([...row.ids.map(({ name }) => name), ...Object.keys(setup.tenant())]);
  const stored = row.effect === Effect.UPDATE ? storedFields(row).map(({ jsonName }) => jsonName) : [];
  const names = stored.filter((name) => !ids.has(name) && valid[name] !== undefined);
  if (names.length < 2) return [];
  const needed = Object.fromEntries(Object.entries(valid).filter(([name]) => !names.includes(name)));
  return names.flatMap((name) =>
    attempts.map((attempt) => ({
      ...attempt,
      because: `${attempt.because}, and sets ${name} alone`,
      request: { ...needed, [name]: valid[name] ?? null, ...freshRequestId(row, setup), ...attempt.changes },
      // Which fields an update may leave out is not shown.
      forAnyReason: true,
    })),
  );
}
