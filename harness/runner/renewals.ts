import type { Issuance, Renewals } from "../case/run.ts";
import { idKey } from "../wire/json.ts";
import type { Credential } from "../wire/request.ts";

/** How long before its end a credential is issued anew, at most, in milliseconds: a call may wait for its turn. */
const maxMarginMs = 10_000;

/** A credential as it was issued last. */
interface Issued {
  readonly mint: () => Promise<Issuance>;
  now: Credential;
  /** From when on it is issued anew, in milliseconds since 1970; undefined where it does not end, or no other is to be had. */
  renewAt: number | undefined;
  renewing?: Promise<void> | undefined;
  /** By requestId, what each request was sent with. */
  readonly sentWith: Map<string, Credential>;
}

function renewalOf({ until }: Issuance): number | undefined {
  if (until === undefined) return undefined;
  const leftMs = until - Date.now();
  return until - Math.min(maxMarginMs, Math.max(0, leftMs) / 2);
}

/** Creates what keeps the credentials alive that a run shares between its cases. */
export function createRenewals(): Renewals {
  /** By the text they were issued with first, by which cases name them. */
  const issued = new Map<string, Issued>();

  async function renew(one: Issued): Promise<void> {
    try {
      const issuance = await one.mint();
      one.now = issuance.credential;
      one.renewAt = renewalOf(issuance);
    } catch {
      // Its user may be gone, or its grant be revoked: that the credential is refused is then what cases see.
      one.renewAt = undefined;
    }
  }

  return {
    async issue(mint) {
      const issuance = await mint();
      const { credential } = issuance;
      issued.set(credential.token, { mint, now: credential, renewAt: renewalOf(issuance), sentWith: new Map() });
      return credential;
    },
    async current(as, requestId) {
      const one = issued.get(as.token);
      if (one === undefined) return as;
      const key = requestId === undefined ? undefined : idKey(requestId);
      const before = key === undefined ? undefined : one.sentWith.get(key);
      if (before !== undefined) return before;
      if (one.renewAt !== undefined && Date.now() >= one.renewAt) {
        one.renewing ??= renew(one).finally(() => {
          one.renewing = undefined;
        });
        await one.renewing;
      }
      // Of one that does not end every request is sent with the same.
      if (key !== undefined && one.renewAt !== undefined) one.sentWith.set(key, one.now);
      return one.now;
    },
  };
}
