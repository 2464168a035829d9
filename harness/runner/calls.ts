import type { JsonObject } from "@bufbuild/protobuf";
import { Change, Effect, type RpcRow, rpc } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import type { CaseContext } from "../case/context.ts";
import { TargetAway, TargetFull, Unproven } from "../case/unproven.ts";
import { guardSent, issues } from "../secrets/guarded.ts";
import { hasContent, mayBeEmpty } from "../wire/content.ts";
import { type Exchange, toShow } from "../wire/exchange.ts";
import { leanReply } from "../wire/lean-reply.ts";
import { describeReply, type Reply, readStream, readUnary } from "../wire/reply.ts";
import { sleep } from "../wire/sleep.ts";
import { callTyped, type TypedCall, UnsendableRequest } from "../wire/transport.ts";
import { createAnswers } from "./answers.ts";
import { isBusy, isFull, isLost, isPlain, isUnawaited, overloadOf, requestOf } from "./call.ts";
import { createAllowance } from "./deadline.ts";
import { createHangUp, kept } from "./hang-up.ts";
import { type CaseTrace, type ContextOptions, checkAlive } from "./trace.ts";

/** The part of a context that sends. */
export type Calls = Pick<CaseContext, "call" | "send" | "callAndHangUp">;

/** How long a busy target is left alone at first, in milliseconds; twice as long each time. */
const firstBusyMs = 50;
/** Attempts after which a call waits for others to end rather than for a moment without them: by then it has waited for 1.5 s. */
const longWait = 5;

/** Makes a call with a stock client. Throws Unproven where what the target showed, and the case sends back, fits no request. */
async function sendTyped(call: TypedCall): Promise<Exchange> {
  try {
    return await callTyped(call);
  } catch (error) {
    if (!(error instanceof UnsendableRequest)) throw error;
    throw new Unproven(`needs a request to ${call.row.name} that a client can send: ${error.message}`);
  }
}

/** With a requestId of its own, where the RPC takes one and the case does not care which. */
function identified(row: RpcRow, request: JsonObject, { random }: CaseContext): JsonObject {
  const name = row.requestId?.name;
  return name === undefined || name in request ? request : { [name]: { value: random.uuidv7() }, ...request };
}

/** What a target file can say to a target that is too busy for a run, for the reason of a case that gave up waiting. */
function remedy({ subject, effect }: RpcRow): string {
  if (subject === "webhook_endpoint" && effect === Effect.CREATE)
    return "; limits.endpoints in the target file says how many endpoints there may be at once";
  return "; patience.busyMs in the target file says how long a case waits for its turn";
}

/** Notes that a call is about to be made. Returns what is to be told how it ended. */
function admit({ run, label }: ContextOptions, row: RpcRow) {
  if (row.change === Change.REDELIVERS) run.received.sendsAgain(row, label);
  return run.usage.admit(row);
}

/**
 * Creates what a context sends by. Every exchange is numbered into the trace, and the run is told of it.
 *
 * @param contextOf the context itself, once it is there
 */
export function createCalls(options: ContextOptions, trace: CaseTrace, contextOf: () => CaseContext): Calls {
  const { run, signal, label } = options;
  // One for all values of a property, which share their case's signal.
  const sender = signal;
  // While a request waited for its turn, the target may have been given up.
  const onTurn = () => checkAlive(options);
  const answers = createAnswers(options);
  const busy = createAllowance(run.target.settings.patience.busyMs);

  function own(exchange: Exchange): Exchange {
    const numbered = { ...exchange, number: trace.exchanges.length + 1 };
    trace.exchanges.push(toShow(numbered));
    return numbered;
  }

  async function send(row: RpcRow, request: JsonObject, call: CallOptions): Promise<Exchange> {
    const baseUrl = call.baseUrl ?? run.target.baseUrlOf(row);
    const as = call.as === undefined ? await contextOf().setup.credential(row) : (call.as ?? undefined);
    const requestId = row.requestId && request[row.requestId.name];
    const authorization = typeof as === "object" ? await run.renewals.current(as, requestId) : as;
    guardSent(run.secrets, row, request);
    const { batch } = call;
    if (isPlain(row, call))
      return sendTyped({ wire: run.wire, baseUrl, row, request, authorization, sender, batch, onTurn });
    const sending = { baseUrl, authorization, signal, replyMs: run.target.limits.replyMs, health: run.health };
    const sent = requestOf(row, request, call, sending);
    return run.wire.send({ ...sent, sender, batch, onTurn });
  }

  /** Sends; what was not sent, or is not known to have come, takes no place. */
  async function sent(row: RpcRow, request: JsonObject, call: CallOptions, placed: (reply: undefined) => void) {
    try {
      return await send(row, request, call);
    } catch (error) {
      placed(undefined);
      throw error;
    }
  }

  /** One call; while it may issue a credential, the run knows of it. */
  function once(row: RpcRow, asked: JsonObject, call: CallOptions): Promise<Reply> {
    const made = kept(trace.pending, make(row, asked, call));
    return issues(row) ? kept(run.issuing, made) : made;
  }

  async function make(row: RpcRow, asked: JsonObject, call: CallOptions): Promise<Reply> {
    checkAlive(options);
    // What a case that ended early left going on asks nothing more.
    if (trace.over) throw new Unproven("the case is over");
    const silent = answers.inVain(row);
    if (silent !== undefined) throw new Unproven(`needs ${silent}`);
    const request = call.body === undefined ? identified(row, asked, contextOf()) : asked;
    const placed = await run.endpoints.take(row, request);
    const made = admit(options, row);
    const exchange = own(await sent(row, request, call, placed));
    if (isLost(exchange) && run.health.everServed) contextOf().setup.undoUntold(row, request, call);
    const away = await run.outages.check(exchange, signal);
    if (away !== undefined) {
      made(undefined);
      placed(undefined);
      run.onExchange({ by: label, exchange, call: { row, request, exempt: [], judged: false } });
      throw new TargetAway(away);
    }
    const reply = row.stream ? readStream(row, request, exchange) : readUnary(row, request, exchange);
    made(reply);
    placed(reply);
    options.lapses?.note(reply);
    trace.served ||= hasContent(reply);
    answers.note(reply, call);
    const kind = exchange.failure?.kind;
    if (kind === "timeout" || (kind === "abandoned" && call.enough?.(reply.messages) === false))
      run.waitedInVain({ by: label, what: "reply", ms: call.timeoutMs ?? call.listenMs ?? run.target.limits.replyMs });
    trace.servedEmpty ||= reply.outcome === "served" && mayBeEmpty(row);
    const judged = call.foreign !== true && !isUnawaited(exchange) && !run.ended.aborted;
    run.onExchange({ by: label, exchange, reply, call: { row, request, exempt: call.exempt ?? [], judged } });
    if (reply.outcome === "served" && row.effect === Effect.CREATE && row.record !== undefined)
      contextOf().setup.undoCreated(reply, call);
    return leanReply(reply);
  }

  return {
    async call(rowOrName, request, call = {}) {
      const row = typeof rowOrName === "string" ? rpc(rowOrName) : rowOrName;
      for (let attempt = 0; ; attempt += 1) {
        const reply = await once(row, request, call);
        if (!isBusy(reply) || reply.outcome !== "refused") {
          await run.readLag.catchUp(contextOf(), reply, call);
          if (reply.outcome === "served") run.crowd.served(row);
          return reply;
        }
        // What was never served, be it the RPC or all of them, says nothing of how fast the others may come.
        const everServed = run.health.everServed && run.invariants.askedOf(row) !== "not served";
        run.wire.backOff(everServed ? overloadOf(reply, row) : undefined);
        const seconds = Number(reply.error.detail?.retryAfterSeconds ?? 0);
        const waitMs = Math.max(seconds * 1000, firstBusyMs * 2 ** attempt);
        // A target that has never served anything is not busy but broken: waiting for it would take hours.
        if (!run.health.everServed || !busy.take(waitMs)) {
          if (attempt > 0) run.waitedInVain({ by: label, what: "turn", ms: run.target.settings.patience.busyMs });
          const why = `${row.name} says it is busy (${describeReply(reply)})${run.health.everServed ? remedy(row) : ""}`;
          if (!run.health.everServed || !isFull(reply) || !run.crowd.gaveUp(row)) throw new Unproven(why);
          trace.full = true;
          throw new TargetFull(why);
        }
        if (attempt === longWait && isFull(reply)) run.crowd.narrow();
        await sleep(waitMs, signal);
      }
    },
    async send(request) {
      checkAlive(options);
      const { as, headers = [], givenBy, ...rest } = request;
      const sent = await run.wire.send({ ...rest, headers, authorization: as, signal, sender });
      const exchange = own(run.target.isOwn(rest.url) ? sent : { ...sent, foreign: true });
      run.onExchange({ by: label, exchange, ...(givenBy === undefined ? {} : { givenBy: rpc(givenBy) }) });
      // What we gave up ourselves, as the case has no time left, is no answer that could be judged.
      if (exchange.failure?.kind === "abandoned") checkAlive(options);
      return exchange;
    },
    callAndHangUp: createHangUp(options, contextOf),
  };
}
