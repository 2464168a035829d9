import type { Context, Principal } from "../../reference/core/context.ts";
import { withSingleScopes } from "../../reference/target-file.ts";
import { defineAlphaVariant, defineVariants, type Variant } from "../variant.ts";

/** The key of a call in whatever form: after any scheme or none, in its own header, or in the query. */
function keyIn({ call: { headers }, world }: Context): Principal | undefined {
  const { authorization = "" } = headers;
  const basic = /^basic (\S+)$/i.exec(authorization)?.[1];
  const texts = [
    authorization.split(/\s+/).at(-1) ?? "",
    headers["x-api-key"] ?? "",
    basic === undefined ? "" : (Buffer.from(basic, "base64").toString().split(":")[0] ?? ""),
  ];
  return texts.map((text) => world.principals.get(text)).find((principal) => principal !== undefined);
}

/** The credential that is sent in other letters: keys that are compared without regard to case, as hexadecimal ones may be. */
function keyInOtherCase({ call: { headers }, world }: Context): string | undefined {
  const sent = /^bearer ([\x21-\x7e]+)$/i.exec(headers.authorization ?? "")?.[1]?.toLowerCase();
  return sent === undefined ? undefined : [...world.principals.keys()].find((key) => key.toLowerCase() === sent);
}

/** How credentials are carried, and which there are. */
export const credentialFormVariants: readonly Variant[] = [
  ...defineVariants({
    id: "keys-in-any-form",
    says: "takes a key after any scheme or none, in X-API-Key, and as the user of Basic",
    open: ["*.open.credential-forms"],
    decoration: {
      parts: ({ authenticate }) => ({
        authenticate(context) {
          const principal = keyIn(context);
          const until = principal?.until ?? Number.POSITIVE_INFINITY;
          const isKey = principal?.customerUserId === undefined && until > context.world.clock.now();
          return principal !== undefined && isKey ? principal : authenticate(context);
        },
      }),
    },
  }),
  ...defineVariants({
    id: "keys-in-either-case",
    says: "compares keys without regard to the case of their letters",
    open: ["*.open.credential-forms"],
    decoration: {
      parts: ({ authenticate }) => ({
        authenticate(context) {
          const key = keyInOtherCase(context);
          if (key === undefined) return authenticate(context);
          const headers = { ...context.call.headers, authorization: `Bearer ${key}` };
          return authenticate({ ...context, call: { ...context.call, headers } });
        },
      }),
    },
  }),
  ...defineVariants({
    id: "keys-of-one-scope",
    says: "is described with limited keys of one scope each",
    open: ["*.open.credential-forms"],
    decoration: {},
    target: withSingleScopes,
  }),
  defineAlphaVariant({
    id: "one-key-for-both-services",
    says: "takes the backend key of beta.v1, which is its own API key",
    open: ["alpha.open.credential-forms"],
    decoration: {},
    target: (file) => ({ ...file, beta: { backendKeys: { all: file.alpha?.apiKeys?.all } } }),
  }),
];
