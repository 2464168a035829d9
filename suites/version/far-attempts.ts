import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { variedFields } from "../../harness/models/varied-fields.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { NotExercised } from "../../harness/target/target.ts";
import { sameJson } from "../../harness/wire/json.ts";
import { storedFields } from "../../proto/resources.ts";
import { CredentialKind, Effect } from "../../proto/rpcs.ts";
import type { Attempt } from "../common/refusals.ts";
import { oddFar } from "./odd-values.ts";

/** Calls that expect a version far from the current one, by each further kind of credential, and with each other value of an enum. */
async function otherwiseFar(
  { row, setup }: CaseContext,
  version: string,
  valid: JsonObject,
  subject: Subject | undefined,
): Promise<readonly Attempt[]> {
  const far = () => ({ [row.expectedVersion?.name ?? ""]: version, ...freshRequestId(row, setup) });
  const attempts: Attempt[] = [];
  for (const kind of row.credentials.filter((one) => one !== CredentialKind.BACKEND_KEY)) {
    try {
      const as = await setup.credentialOfKind(kind, row, subject);
      attempts.push({ because: `${version} is not the current version`, changes: far(), options: { as } });
    } catch (error) {
      if (!(error instanceof NotExercised)) throw error;
    }
  }
  for (const field of row.input.fields) {
    if (field.fieldKind !== "enum") continue;
    for (const { name } of field.enum.values.slice(1)) {
      if (name === valid[field.jsonName]) continue;
      const because = `with ${name}, too, ${version} is not the current version`;
      attempts.push({ because, changes: { ...far(), [field.jsonName]: name }, forAnyReason: true });
    }
  }
  return attempts;
}

/** A value of a field other than the stored one: what is sent anyway, or the other truth value. */
function otherThan(stored: JsonValue | undefined, sent: JsonValue | undefined): JsonValue | undefined {
  if (typeof sent === "boolean" || typeof stored === "boolean") return stored !== true;
  return sameJson(sent, stored) ? undefined : sent;
}

/** Calls that expect a version far from the current one, and name one of the stored fields alone: what is left out may count as kept. */
function oneFieldGivenFar(
  { row, setup }: CaseContext,
  version: string,
  valid: JsonObject,
  subject: Subject | undefined,
): readonly Attempt[] {
  const ids = new Set(row.ids.map(({ name }) => name));
  const stored = row.effect === Effect.UPDATE ? storedFields(row).map(({ jsonName }) => jsonName) : [];
  const names = stored.filter((name) => !ids.has(name));
  if (names.length < 2) return [];
  const needed = Object.fromEntries(Object.entries(valid).filter(([name]) => !names.includes(name)));
  return names.flatMap((name): readonly Attempt[] => {
    const value = otherThan(subject?.record[name], valid[name]) ?? valid[name];
    if (value === undefined) return [];
    const given = { ...needed, [name]: value, [row.expectedVersion?.name ?? ""]: version };
    const because = `with ${name} alone, too, ${version} is not the current version`;
    return [{ because, request: { ...given, ...freshRequestId(row, setup) }, forAnyReason: true }];
  });
}

/** A call that expects a version far from the current one, and changes all that can be told apart: none where the usual one does. */
function changedFar(context: CaseContext, version: string, subject: Subject | undefined): readonly Attempt[] {
  const { row, setup } = context;
  const varied = subject === undefined ? {} : variedFields(context, row, 1, subject);
  if (row.effect !== Effect.UPDATE || Object.keys(varied).length === 0) return [];
  const changes = { ...varied, [row.expectedVersion?.name ?? ""]: version, ...freshRequestId(row, setup) };
  const because = `with other values for ${Object.keys(varied).join(", ")}, too, ${version} is not the current version`;
  return [{ because, changes, forAnyReason: true }];
}

/** Calls that expect a version far from the current one, and change one of the stored fields alone. */
function oneFieldFar(
  { row, setup }: CaseContext,
  version: string,
  valid: JsonObject,
  subject: Subject | undefined,
): readonly Attempt[] {
  const names = row.effect === Effect.UPDATE ? storedFields(row).map(({ jsonName }) => jsonName) : [];
  const record = subject?.record;
  if (record === undefined || names.length < 2) return [];
  return names.flatMap((name): readonly Attempt[] => {
    const other = otherThan(record[name], valid[name]);
    if (other === undefined) return [];
    const kept = Object.fromEntries(names.map((one) => [one, record[one] ?? valid[one]] as const));
    const defined = Object.entries({ ...kept, [name]: other }).filter(([, value]) => value !== undefined);
    const changes = { ...Object.fromEntries(defined), [row.expectedVersion?.name ?? ""]: version };
    return [
      {
        because: `where ${name} alone differs from what is stored, too, ${version} is not the current version`,
        changes: { ...changes, ...freshRequestId(row, setup) } as JsonObject,
        forAnyReason: true,
      },
    ];
  });
}

/** A call that expects a version far from the current one, as a bare number: ProtoJSON takes either form, and who refuses this one refuses it. */
function farAsNumber({ row, setup }: CaseContext, version: string, valid: JsonObject): readonly Attempt[] {
  const number = Number(version);
  if (!Number.isSafeInteger(number)) return [];
  const request = { ...valid, ...freshRequestId(row, setup), [row.expectedVersion?.name ?? ""]: version };
  // As it stands: a request is written in the usual form.
  const body = JSON.stringify({ ...request, [row.expectedVersion?.name ?? ""]: number });
  const because = `${version}, as a number, is not the current version`;
  return [{ because, request, options: { body }, forAnyReason: true, oddForm: true }];
}

/**
 * Calls that expect a version far from the current one in every way that code which checks it may not come by: by other
 * credentials, with other choices, with one field or all of them changed, as a number, in odd forms.
 */
export async function farAttempts(
  context: CaseContext,
  version: string,
  valid: JsonObject,
  subject: Subject | undefined,
): Promise<readonly Attempt[]> {
  return [
    ...(await otherwiseFar(context, version, valid, subject)),
    ...oneFieldFar(context, version, valid, subject),
    ...oneFieldGivenFar(context, version, valid, subject),
    ...changedFar(context, version, subject),
    ...farAsNumber(context, version, valid),
    ...oddFar(context, version, valid),
  ];
}
