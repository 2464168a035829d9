import type { Context } from "../reference/core/context.ts";

/** Whether a call is by another tenant than the one that the first credential was issued to. */
export function ofSecondTenant({ world, principal }: Context): boolean {
  const [first] = world.principals.values();
  return principal !== undefined && principal.workspaceId !== first?.workspaceId;
}
