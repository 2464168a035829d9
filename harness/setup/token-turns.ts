import type { Credential } from "../wire/request.ts";

/** The credentials of a tenant's users, where one of a user works at a time: each is issued anew before its use. */
export interface TokenTurns {
  /** Issues a user's credential by `mint`, which issues it anew where another of the user's was issued since. */
  issue(user: string, mint: () => Promise<Credential>): Promise<Credential>;
  /** Makes a call with a credential, which works until the call is over: no other is issued meanwhile. */
  use<T>(as: Credential, call: (as: Credential) => Promise<T>): Promise<T>;
}

/** A credential as it was issued last. */
interface Issued {
  readonly user: string;
  readonly mint: () => Promise<Credential>;
  now: Credential;
}

/** Creates the turns in which a tenant's credentials are issued and used. */
export function createTurns(): TokenTurns {
  /** By the text they were issued with first, by which cases name them. */
  const issued = new Map<string, Issued>();
  /** By user, the one that works. */
  const live = new Map<string, Issued>();
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  return {
    issue: (user, mint) =>
      inTurn(async () => {
        const credential = await mint();
        const one: Issued = { user, mint, now: credential };
        issued.set(credential.token, one);
        live.set(user, one);
        return credential;
      }),
    use(as, call) {
      const one = issued.get(as.token);
      if (one === undefined) return call(as);
      return inTurn(async () => {
        if (live.get(one.user) !== one) {
          // Should this fail, none is known to work.
          live.delete(one.user);
          one.now = await one.mint();
          live.set(one.user, one);
        }
        return call(one.now);
      });
    },
  };
}
