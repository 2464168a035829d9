import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import { replacing } from "../steps.ts";
import { anyCaller } from "./credentials.ts";

/** A step of the pipeline that is left out where a call is so. */
const unless = (when: (context: Context) => boolean, step: (context: Context) => void) => (context: Context) => {
  if (!when(context)) step(context);
};

/** Asks for no scope where a call is so. */
export const noScopeWhere = (when: (context: Context) => boolean) =>
  replacing(({ authorizeScope }) => ({ authorizeScope: unless(when, authorizeScope) }));

/** Asks for no credential where a call is so and carries none. */
export const anybodyWhere = (when: (context: Context) => boolean) =>
  replacing(({ authenticate }) => ({
    authenticate: (context) =>
      when(context) && context.call.headers.authorization === undefined ? anyCaller(context) : authenticate(context),
  }));

/** Takes a credential of any kind where a call is of a kind; nor is it asked for the scope that it would have. */
export const anyKindWhere = (when: (context: Context) => boolean) =>
  replacing(({ authorizeKind, authorizeScope }) => ({
    authorizeKind: unless(when, authorizeKind),
    authorizeScope: unless(when, authorizeScope),
  }));

/** Asks a user of an identity provider for no permission where a call is so. */
export const noPermissionWhere =
  (when: (context: Context) => boolean) =>
  ({ name }: RpcRow): BetaDecoration => ({
    parts: ({ authorizePermission }) => ({
      authorizePermission: onRpc(name, authorizePermission, (context, principal) => {
        if (!when(context)) authorizePermission(context, principal);
      }),
    }),
  });
