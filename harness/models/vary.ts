import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import { browserScopes } from "../setup/beta/customer-user.ts";
import { quietTypes } from "../setup/beta/event-types.ts";

/** A JSON document no other call of the run sends, as bytes fields carry it. */
function freshDocument({ random }: CaseContext): string {
  return Buffer.from(JSON.stringify({ mark: random.token(8) })).toString("base64");
}

/** A whole second some days from now: finer times may be rounded. */
function inDays(days: number): string {
  return new Date(Math.trunc(Date.now() / 1000 + days * 86_400) * 1000).toISOString();
}

const varied: Readonly<Record<string, (context: CaseContext, draw: number) => JsonObject[string]>> = {
  enabled: (_context, draw) => draw % 2 !== 0,
  eventTypes: (_context, draw) => quietTypes.filter((_, index) => draw % 3 !== index + 1),
  attributesJson: freshDocument,
  valueJson: freshDocument,
  expiresAt: (_context, draw) => inDays(1 + draw),
  allowedBrowserTokenScopes: (_context, draw) => browserScopes.slice(draw % 8),
  decision: (_context, draw) => (draw % 2 === 0 ? "APPROVAL_DECISION_APPROVE" : "APPROVAL_DECISION_REJECT"),
};

/**
 * Request fields of a mutation by which its effect is told from that of others: each call stores something else. Names,
 * addresses and secret values are new in every request as it is.
 */
export function variedFields(context: CaseContext, row: RpcRow, draw: number): JsonObject {
  const names = row.input.fields
    .map((field) => field.jsonName)
    // Set to what they are already, settings need not change: they are switched, as the usual request does.
    .filter((name) => varied[name] !== undefined && row.subject !== "memory_settings");
  return Object.fromEntries(names.map((name) => [name, varied[name]?.(context, draw) ?? null]));
}
