import { isReadOnly, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

type Match = (sent: string, issued: string) => boolean;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Whether a text is one that a pattern matches whole, in which some characters are wildcards. */
const matches = (pattern: string, wildcards: Readonly<Record<string, string>>, text: string) =>
  new RegExp(`^${[...pattern].map((one) => wildcards[one] ?? escaped(one)).join("")}$`).test(text);

/** What a credential is taken for by a server that looks it up carelessly. */
const lookups: readonly (readonly [what: string, says: string, match: Match])[] = [
  [
    "takes-undefined",
    "takes what a client without a credential writes for it, undefined or null, for the first it knows",
    (sent) => sent === "undefined" || sent === "null",
  ],
  [
    "looks-credentials-up-by-like",
    "looks a credential up by a pattern of SQL: % is any text and _ any character",
    (sent, issued) => matches(sent, { "%": ".*", _: "." }, issued),
  ],
  [
    "looks-credentials-up-by-glob",
    "looks a credential up by a pattern in which * is any text",
    (sent, issued) => matches(sent, { "*": ".*" }, issued),
  ],
];

/** The first reading of each service. */
const readings = rpcs.filter(
  (row) => row === row.peers.find((one: RpcRow) => one.service === row.service && isReadOnly(one)),
);

export const looseCredentials: readonly Fault[] = lookups.flatMap(([what, says, match]) =>
  faultsAt(readings, {
    id: `auth/${what}`,
    says,
    breaks: "*.auth.required",
    decorate: replacing((parts) => ({
      authenticate(context) {
        const sent = /^bearer ([\x21-\x7e]+)$/i.exec(context.call.headers.authorization ?? "")?.[1] ?? "";
        const { principals } = context.world;
        if (sent === "" || principals.has(sent)) return parts.authenticate(context);
        const fits = [...principals].filter(
          ([issued, { kind, scopes, workspaceId, customerUserId }]) =>
            match(sent, issued) &&
            context.row.credentials.includes(kind) &&
            scopes.has(context.row.scope) &&
            workspaceId === context.workspaceId &&
            (customerUserId ?? context.tenant.customerUserId) === context.tenant.customerUserId,
        );
        return fits[0]?.[1] ?? parts.authenticate(context);
      },
    })),
  }),
);
