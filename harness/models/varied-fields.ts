import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { browserScopes, grantEnd, originOf } from "../setup/beta/customer-user.ts";
import { quietTypes } from "../setup/beta/event-types.ts";
import { likeDocument } from "../setup/like-document.ts";

/** A JSON document that no other call of the run sends, of the type of the stored one, in base64. */
function freshDocument({ random }: CaseContext, _variation: number, stored: JsonValue | undefined): string {
  return likeDocument(stored, "mark", random.token(8));
}

type VariedValue = (context: CaseContext, variation: number, stored: JsonValue | undefined) => JsonValue;

const valueFor: Readonly<Record<string, VariedValue>> = {
  enabled: (_context, variation) => variation % 2 !== 0,
  eventTypes: (_context, variation) => quietTypes.filter((_, index) => variation % 3 !== index + 1),
  attributesJson: freshDocument,
  valueJson: freshDocument,
  // A token is asked for the usual origin.
  registeredOrigins: (context, variation) => [originOf(context), `https://v${variation}.hallmark.invalid:8443`],
  expiresAt: (_context, variation) => grantEnd(60 * (1 + variation)),
  allowedBrowserTokenScopes: (_context, variation) => browserScopes.slice(variation % 8),
  decision: (_context, variation) => (variation % 2 === 0 ? "APPROVAL_DECISION_APPROVE" : "APPROVAL_DECISION_REJECT"),
};

/**
 * Request fields that make each mutation store other values, so that its effect is distinguishable. Names, URLs and secret
 * values differ in every request anyway.
 */
export function variedFields(
  context: CaseContext,
  row: RpcRow,
  variation: number,
  { record }: Pick<Subject, "record">,
): JsonObject {
  const names = row.input.fields
    .map((field) => field.jsonName)
    // Memory settings are switched by the usual request; set to what they are already they need not change.
    .filter((name) => valueFor[name] !== undefined && row.subject !== "memory_settings");
  return Object.fromEntries(names.map((name) => [name, valueFor[name]?.(context, variation, record[name]) ?? null]));
}
