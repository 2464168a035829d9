import { kindsOf } from "../../../../proto/resources.ts";
import { CredentialKind, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, principalOf } from "../../reference/core/context.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { replacing } from "../steps.ts";
import { applyOperator, type Site } from "./operator.ts";

interface KindSite extends Site {
  readonly kind: CredentialKind;
}

/** Every row with every kind of its package, where that has several. */
const pairs = rpcs
  .filter((row) => kindsOf(row).length > 1)
  .flatMap((row) => kindsOf(row).map((kind): KindSite => ({ row, kind, which: CredentialKind[kind] })));

const lists = ({ row, kind }: KindSite) => row.credentials.includes(kind);
const isOf = (context: Context, kind: CredentialKind) => principalOf(context).kind === kind;
const clauseOf = ({ kind }: KindSite) => (kind === CredentialKind.IDP_USER ? "*.auth.idp-user" : "*.auth.kinds");

export const listedKindRefused = applyOperator({
  name: "kind-refused",
  area: "auth",
  says: ({ kind }) => `refuses credentials of kind ${CredentialKind[kind]}, which it lists`,
  breaks: clauseOf,
  sites: pairs.filter(lists),
  plant: ({ row, kind }) =>
    replacing((parts) => ({
      authorizeKind(context) {
        if (isOf(context, kind)) refuse("AUTHORIZATION_DENIED", "not with this credential");
        parts.authorizeKind(context);
      },
    }))(row),
});

/** Lets a kind pass that the row does not list; the scopes it has, if it has any, suffice. */
export const unlistedKindServed = applyOperator({
  name: "kind-served",
  area: "auth",
  says: ({ kind }) => `serves credentials of kind ${CredentialKind[kind]}, which it does not list`,
  breaks: "*.auth.kinds",
  sites: pairs.filter((site) => !lists(site)),
  plant: ({ row, kind }) =>
    replacing((parts) => ({
      authorizeKind(context) {
        if (!isOf(context, kind)) parts.authorizeKind(context);
      },
      authorizeScope(context) {
        if (!isOf(context, kind)) parts.authorizeScope(context);
      },
    }))(row),
});
