import type { Context } from "../reference/core/context.ts";

/** The workspaces there are credentials for. */
export function workspacesOf({
  principals,
}: {
  readonly principals: ReadonlyMap<string, { readonly workspaceId: string }>;
}): Set<string> {
  return new Set([...principals.values()].map(({ workspaceId }) => workspaceId));
}

/** Whether a call is by another tenant than the one that the first credential was issued to. */
export function ofSecondTenant({ world, principal }: Context): boolean {
  const [first] = world.principals.values();
  return principal !== undefined && principal.workspaceId !== first?.workspaceId;
}
