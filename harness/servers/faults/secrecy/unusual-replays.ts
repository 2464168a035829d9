import { CredentialKind, type RpcRow } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { issuing, repeating } from "./replays.ts";

/** How long a plaintext is left out of replays, in milliseconds. */
const withheldForMs = 3000;

type Kind = readonly [
  what: string,
  says: string,
  isSo: (call: Call, ageMs: number) => boolean,
  isAsked: (row: RpcRow) => boolean,
];

const takes = (field: string) => (row: RpcRow) => row.input.fields.some(({ jsonName }) => jsonName === field);

const kinds: readonly Kind[] = [
  [
    "rotated-before",
    "of the second rotation of an endpoint, and of later ones",
    ({ request }) => String(request.expectedResourceVersion) > "1",
    ({ expectedVersion }) => expectedVersion !== undefined,
  ],
  [
    "to-narrow-credentials",
    "to a credential that has one scope and no other",
    ({ principal }) => principal?.scopes.size === 1,
    () => true,
  ],
  [
    "to-browsers",
    "to a caller that says from which origin it calls",
    ({ headers }) => headers.origin !== undefined,
    // Browser tokens always come from an origin.
    ({ credentials }) => !credentials.includes(CredentialKind.BROWSER_TOKEN),
  ],
  [
    "for-long-urls",
    "for a url of more than 200 characters",
    ({ request }) => String(request.url).length > 200,
    takes("url"),
  ],
  [
    "for-several-scopes",
    "of a token with two scopes or more",
    ({ request }) => (request.scopes as unknown[]).length > 1,
    takes("scopes"),
  ],
  [
    "where-its-reply-may-be-compressed",
    "to a caller that accepts compressed replies",
    ({ headers }) => headers["accept-encoding"]?.includes("gzip") === true,
    () => true,
  ],
  [
    "where-it-is-compressed",
    "that is compressed itself",
    ({ headers }) => headers["content-encoding"] === "gzip",
    () => true,
  ],
  [
    "with-parameters-of-its-type",
    "whose media type has a parameter",
    ({ headers }) => headers["content-type"]?.includes("charset") === true,
    () => true,
  ],
  [
    "after-a-while",
    "that comes three seconds after the first success",
    (_call, ageMs) => ageMs > withheldForMs,
    () => true,
  ],
];

/** Plaintext is left out of usual replays alone. */
export const unusualReplays: readonly Fault[] = kinds.flatMap(([what, says, isSo, isAsked]) =>
  faultsAt(issuing.filter(isAsked), {
    id: `secrecy/repeats-plaintext-${what}`,
    says: `gives the plaintext in a replay ${says}`,
    breaks: "*.credentials.once",
    decorate: repeating(({ at }, call) => isSo(call, performance.now() - at)),
  }),
);
