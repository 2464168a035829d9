import { createHmac } from "node:crypto";
import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { idText } from "../../reference/core/fields.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

const { issueBrowserToken } = CustomerUserService.method;

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** What a JSON Web Token begins with. */
const header = encoded({ alg: "HS256", typ: "JWT" });

/** A signed token about an id, which stands in its claims at each alignment that base64 knows; any text may hold it so, too. */
function signedToken(prefix: string, id: string, key: string): string {
  const signed = `${prefix}.${encoded({ a: id, bc: id, cde: id, sub: id })}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

/** Issues signed tokens that begin so. */
const issuingSigned = (prefix: string): BetaDecoration => ({
  handlers: aroundBeta(issueBrowserToken, (next) => async (context, request) => {
    const issued = await next(context, request);
    const { principals } = context.world;
    const principal = principals.get(issued.token);
    if (principal === undefined) return issued;
    const token = signedToken(prefix, idText(request.customerUserId), issued.token);
    principals.delete(issued.token);
    principals.set(token, principal);
    return { ...issued, token };
  }),
});

/** What browser tokens look like. */
export const signedTokenVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "signed-browser-tokens",
    says: "issues browser tokens that are signed claims about their user and his runs, as JSON Web Tokens are",
    open: ["beta.open.credential-forms"],
    decoration: issuingSigned(header),
  }),
  defineBetaVariant({
    id: "signed-browser-tokens-without-a-header",
    says: "issues browser tokens of a prefix, signed claims about their user, and their signature",
    open: ["beta.open.credential-forms"],
    decoration: issuingSigned("bt"),
  }),
];
