import type { RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import { concealBytes, guardSent, issues } from "../secrets/guarded.ts";
import { encodeEnvelope } from "../wire/envelope.ts";
import type { Header } from "../wire/exchange.ts";
import { createReplyEnd, httpText } from "../wire/http-text.ts";
import { headersFrom, shownAuthorization } from "../wire/request.ts";
import { type BareRequest, sendBare } from "../wire/socket.ts";
import { headersOf } from "./call.ts";
import { type ContextOptions, checkAlive } from "./trace.ts";

/** A promise that is in a set until it is settled. */
export function kept<T>(pending: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> {
  pending.add(promise);
  const settled = () => void pending.delete(promise);
  promise.then(settled, settled);
  return promise;
}

/** How long such a reply is waited for, in milliseconds: others may have to wait for what it gives out. */
const maxIssuingMs = 5000;

/** What a context makes calls by whose reply is not waited for. */
export function createHangUp(
  { run, label, signal }: ContextOptions,
  contextOf: () => CaseContext,
): CaseContext["callAndHangUp"] {
  /**
   * Sends what gives out a credential, and leaves without its reply, as far as the case is concerned. It is read nevertheless:
   * were it not, the target would know a credential that we do not, and could not keep out of what is written.
   */
  async function leaveIssuing(row: RpcRow, bare: Omit<BareRequest, "listenMs">): Promise<void> {
    const sent = Promise.withResolvers<void>();
    const listenMs = Math.min(run.target.limits.replyMs, maxIssuingMs);
    const asked = sendBare({ ...bare, listenMs, isEnough: createReplyEnd(), onSent: sent.resolve });
    const read = asked.then(({ received }) => {
      concealBytes(run.secrets, row, received);
      // Where nothing could be sent, nothing is waited for either.
      sent.resolve();
    });
    kept(run.issuing, read);
    await sent.promise;
  }

  return async (row, request, { baseUrl = run.target.baseUrlOf(row) } = {}) => {
    checkAlive({ run, signal });
    const credential = await contextOf().setup.credential(row);
    // Where the reply is read after all, nothing follows it.
    const headers = headersFrom(headersOf(row, issues(row) ? [["connection", "close"]] : []), credential);
    const authorized = (value: string): Header[] => [...headers, ["authorization", value]];
    const body = new TextEncoder().encode(JSON.stringify(request));
    const url = baseUrl + row.path;
    const sent = row.stream ? encodeEnvelope(0, body) : body;
    const bytes = httpText(url, "POST", authorized(`Bearer ${credential.token}`), sent);
    const { tls, limits } = run.target;
    run.guard.admit({ url, rpc: row.name });
    run.usage.admit(row)(undefined);
    guardSent(run.secrets, row, request);
    const bare = { origin: new URL(baseUrl).origin, bytes, tls, maxBytes: limits.maxBodyBytes };
    // What never served anything gives nothing out.
    if (issues(row) && run.health.everServed) await leaveIssuing(row, bare);
    else await sendBare({ ...bare, listenMs: 0 });
    contextOf().setup.undoUntold(row, request, { baseUrl });
    run.onExchange({
      by: label,
      exchange: {
        number: 0,
        rpc: row.name,
        request: { method: "POST", url, headers: authorized(shownAuthorization(credential)), body },
        response: undefined,
        failure: { kind: "abandoned", message: "hung up before the reply" },
        startedAt: Date.now(),
        durationMs: 0,
      },
      call: { row, request, exempt: [], judged: false },
    });
  };
}
