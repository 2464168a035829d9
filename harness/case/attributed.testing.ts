import type { AttributedFinding } from "./attributed-finding.ts";

/** RPCs that findings of tests are about. */
export const [get, list] = ["alpha.v1.SecretService/GetSecret", "alpha.v1.SecretService/ListSecrets"] as const;

/** A finding of a *must*, by a case of its own unless `by` names one. */
export const attributed = (
  clause: string,
  rpc: string,
  by = `${clause} ${rpc}`,
  more: Partial<AttributedFinding["finding"]> = {},
): AttributedFinding => ({
  finding: { clause, rpc, level: "must", expected: "what is due", actual: "what came", ...more },
  by,
});
