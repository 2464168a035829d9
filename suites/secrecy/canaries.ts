import type { Breach } from "../../harness/case/breach.ts";
import { defineInvariant } from "../../harness/case/case.ts";
import type { LocatedSecret } from "../../harness/secrets/canaries.ts";
import type { SecretKind } from "../../harness/secrets/registry.ts";
import type { PackageName, RpcRow } from "../../proto/rpcs.ts";

const clauses: Readonly<Record<SecretKind, string>> = {
  "secret value": "*.secrets.write-only",
  "signing secret": "*.webhooks.secret-elsewhere",
  credential: "*.auth.no-echo",
  "issued credential": "*.credentials.elsewhere",
};

/** The clause that a guarded value breaks where it appears in an exchange of a package. */
export function clauseOf(kind: SecretKind, packageName: PackageName): string {
  // alpha.v1 issues no credentials: one of beta.v1 that appears there counts as any other credential.
  const foreign = kind === "issued credential" && packageName === "alpha.v1";
  return clauses[foreign ? "credential" : kind];
}

function breachesOf(hits: readonly LocatedSecret[], where: string, { package: packageName }: RpcRow): Breach[] {
  return hits.map((hit) =>
    hit.quoted === true
      ? {
          clause: "*.secrets.quoted",
          at: hit.at,
          expected: "a refusal that quotes no secret of the body it could not parse: refusals end up in logs",
          get actual() {
            return `the caller's own ${hit.label.replace(/^an? /, "")} appears in its ${hit.where}`;
          },
        }
      : {
          clause: clauseOf(hit.kind, packageName),
          at: hit.at,
          expected: `no secret anywhere in ${where}`,
          get actual() {
            return `${hit.label} appears in its ${hit.where}`;
          },
        },
  );
}

/** Searches every reply and every webhook, in many encodings, for every secret that the run stored or was given. */
export const canaries = defineInvariant({
  id: "secrecy/no-reply-contains-a-secret",
  says: "no reply, upload, download or webhook contains a secret's value, a signing secret outside its field, or a credential",
  clauses: [
    "*.secrets.write-only",
    "*.webhooks.secret-elsewhere",
    "*.auth.no-echo",
    "*.credentials.elsewhere",
    "*.secrets.quoted",
  ],
  rows: () => true,
  judge(reply, facts) {
    const hits = facts.findSecrets(reply);
    // A refusal without a secret is no evidence about the replies that could contain one.
    if (hits.length === 0 && reply.outcome !== "served") return undefined;
    return breachesOf(hits, "the reply", reply.row);
  },
  judgeAddress(exchange, facts, row) {
    const hits = facts.findSecretsIn(exchange);
    // An upload or download without a secret is no evidence about the RPC's own replies.
    return hits.length === 0 ? undefined : breachesOf(hits, "what the address answers", row);
  },
  judgeReceived(request, facts, row) {
    const hits = facts.findSecretsInRequest(request);
    return hits.length === 0 ? undefined : breachesOf(hits, "a webhook's request", row);
  },
});
