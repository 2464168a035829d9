import { defineStanding, type SecretKind } from "../../harness/case.ts";

const clauseOf: Readonly<Record<SecretKind, string>> = {
  "secret value": "*.secrets.write-only",
  "signing secret": "*.webhooks.secret-elsewhere",
  credential: "*.auth.no-echo",
  "issued credential": "*.credentials.elsewhere",
};

/** Every secret the run planted or was given is looked for in every reply, in many spellings. */
export const canaries = defineStanding({
  id: "secrecy/nothing-secret-comes-back",
  says: "no reply holds a secret's value, a signing secret out of its place, or a credential",
  clauses: ["*.secrets.write-only", "*.webhooks.secret-elsewhere", "*.auth.no-echo", "*.credentials.elsewhere"],
  rows: () => true,
  judge(reply, facts) {
    const hits = facts.findSecrets(reply);
    // That a refusal holds no secret is no evidence for the replies that could.
    if (hits.length === 0 && reply.outcome !== "served") return undefined;
    return hits.map(({ label, kind, at }) => ({
      clause: clauseOf[kind],
      at,
      expected: "no secret anywhere in the reply",
      actual: `${label} stands in its ${at}`,
    }));
  },
});
