import type { TargetFile } from "../../../target/schema.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

function withBeta(file: TargetFile, changes: Partial<NonNullable<TargetFile["beta"]>>): TargetFile {
  return { ...file, beta: { ...file.beta, ...changes } };
}

/** Grants, and the browser tokens issued under them. */
export const grantVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "known-user-returned",
    says: "answers a grant for an external user who has one with that one",
    open: ["beta.open.field-constraints"],
    decoration: { choices: { existingExternalUser: "return existing" } },
  }),
  defineBetaVariant({
    id: "free-forms",
    says: "checks nothing of the origins and scopes of a grant, and takes an end that is over",
    open: ["beta.open.grant-forms"],
    decoration: { choices: { grantForms: "free" } },
  }),
  defineBetaVariant({
    id: "revoked-again",
    says: "serves the revocation of a revoked grant, changing nothing",
    open: ["beta.open.transitions"],
    decoration: { choices: { revokedAgain: "unchanged" } },
  }),
  defineBetaVariant({
    id: "ended-grants-serve",
    says: "starts sessions and runs, and issues tokens, under a revoked or expired grant too",
    open: ["beta.open.live-tokens", "beta.open.transitions"],
    decoration: { choices: { endedGrantBlocks: false } },
  }),
  defineBetaVariant({
    id: "no-tools-means-none",
    says: "lets a grant without tools call none",
    open: ["beta.open.token-bounds"],
    decoration: { choices: { emptyToolList: "no tool" } },
  }),
  defineBetaVariant({
    id: "scopes-narrowed",
    says: "issues a token with those of the scopes asked for that the grant allows",
    open: ["beta.open.token-bounds"],
    decoration: { choices: { excessScopes: "narrow" } },
  }),
  defineBetaVariant({
    id: "bounds-narrowed",
    says: "issues a token with those of the origins and tools asked for that the grant has",
    open: ["beta.open.token-bounds"],
    decoration: { choices: { excessBounds: "narrow" } },
  }),
  defineBetaVariant({
    id: "bounds-free",
    says: "issues tokens for any origins and tools",
    open: ["beta.open.token-bounds"],
    decoration: { choices: { excessBounds: "allow" } },
  }),
  defineBetaVariant({
    id: "tokens-of-twelve-seconds",
    says: "issues tokens for twelve seconds at most",
    open: ["beta.open.token-lifetime"],
    decoration: {
      choices: { maximumTokenLifetimeSeconds: 12, defaultTokenLifetimeSeconds: 12, longTokenLifetime: "cut down" },
    },
  }),
  defineBetaVariant({
    id: "short-tokens",
    says: "issues tokens for five minutes at most, and for one if none are asked for",
    open: ["beta.open.token-lifetime"],
    decoration: { choices: { maximumTokenLifetimeSeconds: 300, defaultTokenLifetimeSeconds: 60 } },
  }),
  defineBetaVariant({
    id: "long-lifetimes-refused",
    says: "refuses a token for more than an hour",
    open: ["beta.open.token-lifetime"],
    decoration: { choices: { maximumTokenLifetimeSeconds: 3600, longTokenLifetime: "refuse" } },
  }),
  defineBetaVariant({
    id: "tokens-live-on",
    says: "lets a token live to its own end, whatever becomes of its grant",
    open: ["beta.open.live-tokens"],
    decoration: {
      choices: {
        tokensEndWithGrant: false,
        revocationEndsTokens: false,
        grantExpiryEndsTokens: false,
        updateNarrowsTokens: false,
      },
    },
  }),
  defineBetaVariant({
    id: "origin-unchecked",
    says: "serves a browser token from any origin",
    open: ["beta.open.origin"],
    decoration: { choices: { originEnforced: "never" } },
  }),
  defineBetaVariant({
    id: "origin-required",
    says: "serves a browser token only with an Origin it was issued for",
    open: ["beta.open.origin"],
    decoration: { choices: { originEnforced: "always" } },
  }),
  defineBetaVariant({
    id: "bare-target-file",
    says: "is described by a base URL and one key",
    open: ["beta.open.apps", "beta.open.keys"],
    decoration: {},
    target: ({ name = "", beta, patience }) => ({
      name,
      patience,
      beta: {
        baseUrl: beta?.baseUrl,
        workspaceId: beta?.workspaceId,
        appId: beta?.appId,
        backendKeys: { all: beta?.backendKeys?.all },
      },
    }),
    permits: ["not-exercised"],
  }),
  defineBetaVariant({
    id: "half-a-target-file",
    says: "is described without a second tenant, limited keys, OAuth tokens, identity users, tools or a receiver",
    open: ["beta.open.apps", "beta.open.keys"],
    decoration: {},
    target: ({ webhooks: _, ...file }) =>
      withBeta(file, {
        secondTenant: undefined,
        backendKeys: { all: file.beta?.backendKeys?.all },
        mcpTokens: [],
        idpTokens: {},
        toolIds: [],
        oauthLoginRequests: [],
        browserOrigin: undefined,
      }),
    permits: ["not-exercised"],
  }),
];
