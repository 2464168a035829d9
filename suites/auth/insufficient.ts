import type { RpcRow } from "../../proto/rpcs.ts";

/**
 * Reasons of a refusal for a credential that is known, and does not suffice. alpha.v1 names two for it (Authentication 4); of beta.v1
 * the conditions of reasons are not shown, and what a caller may not see is not found by him, either.
 */
export function insufficient({ package: packageName }: RpcRow) {
  const reasons = ["AUTHORIZATION_DENIED", "AUTHENTICATION_REQUIRED"];
  if (packageName === "beta.v1") reasons.push("RESOURCE_NOT_FOUND");
  return { reasons, reasonClause: "*.auth.reasons" };
}
