import type { JsonObject } from "@bufbuild/protobuf";
import { resolveClause } from "../../proto/clauses/index.ts";
import { Effect, type RpcRow, rpc } from "../../proto/rpcs.ts";
import type { CallOptions } from "../case/call.ts";
import type { CaseContext, Undoing } from "../case/context.ts";
import type { CheckLog } from "../case/judge.ts";
import type { Finding } from "../case/result.ts";
import { Unproven } from "../case/unproven.ts";
import { guardReceived, guardSent } from "../secrets/canaries.ts";
import { createSetup } from "../setup/setup.ts";
import { headersFrom, shownAuthorization } from "../wire/client.ts";
import { hasContent } from "../wire/content.ts";
import { encodeEnvelope } from "../wire/envelope.ts";
import type { Exchange, Header } from "../wire/exchange.ts";
import { httpText } from "../wire/http-text.ts";
import { describeReply, type Reply, readStream, readUnary } from "../wire/reply.ts";
import { sleep } from "../wire/sleep.ts";
import { sendBare } from "../wire/socket.ts";
import { callTyped } from "../wire/transport.ts";
import { headersOf, isBusy, isPlain, isUnawaited, requestOf } from "./call.ts";
import { createAllowance } from "./deadline.ts";
import { createJudge } from "./judge.ts";
import { checkOver } from "./property.ts";
import type { Run } from "./run.ts";

/** What a case leaves behind for its result. */
export interface CaseTrace extends CheckLog {
  readonly findings: Finding[];
  readonly exchanges: Exchange[];
  readonly undo: Undoing[];
  /** Whether any call was served with something to tell: without that, nothing the case saw proves anything. */
  served: boolean;
}

/** What makes a context. */
export interface ContextOptions {
  readonly run: Run;
  readonly row: RpcRow;
  /** Names the source of random values: case id and RPC. */
  readonly label: string;
  readonly says: string;
  readonly clause: string;
  readonly signal: AbortSignal;
}

/** Creates the context of one case on one RPC, and the trace it fills. */
export function createContext(options: ContextOptions): { context: CaseContext; trace: CaseTrace } {
  const { run, row: ownRow, signal, says, clause: mainClause } = options;
  const trace: CaseTrace = { checks: 0, findings: [], exchanges: [], undo: [], served: false };
  // One for all values of a property, which share their case's signal.
  const sender = signal;
  const busy = createAllowance(run.target.settings.patience.busyMs);

  function own(exchange: Exchange): Exchange {
    const numbered = { ...exchange, number: trace.exchanges.length + 1 };
    trace.exchanges.push(numbered);
    return numbered;
  }

  /** With a requestId of its own, where the RPC takes one and the case does not care which. */
  function identified(row: RpcRow, request: JsonObject): JsonObject {
    const name = row.requestId?.name;
    return name === undefined || name in request ? request : { [name]: { value: context.random.uuidv7() }, ...request };
  }

  function checkAlive(): void {
    if (run.health.givenUp !== undefined) throw new Unproven(run.health.givenUp);
    if (run.ended.aborted) throw new Unproven("the run was given up");
    if (signal.aborted) throw new Unproven("the case ran out of time");
  }

  async function once(row: RpcRow, asked: JsonObject, call: CallOptions): Promise<Reply> {
    checkAlive();
    const request = call.body === undefined ? identified(row, asked) : asked;
    const baseUrl = call.baseUrl ?? run.target.baseUrlOf(row);
    const authorization = call.as === undefined ? await given.credential(row) : (call.as ?? undefined);
    let exchange: Exchange;
    guardSent(run.secrets, row, request);
    if (isPlain(row, call)) {
      exchange = await callTyped({ wire: run.wire, baseUrl, row, request, authorization, sender });
    } else {
      const { replyMs } = run.target.limits;
      const sent = requestOf(row, request, call, { baseUrl, authorization, signal, replyMs });
      exchange = await run.wire.send({ ...sent, sender });
    }
    const numbered = own(exchange);
    const reply = row.stream ? readStream(row, request, numbered) : readUnary(row, request, numbered);
    run.health.note(reply);
    run.lastSeen.note(reply);
    trace.served ||= hasContent(reply);
    const unseen = isUnawaited(numbered);
    // Once the run is given up, what was under way is cut off by us.
    const judged = call.foreign !== true && !unseen && !run.ended.aborted;
    if (judged) run.invariants.judge(reply, call.exempt, options.label);
    const seen = { row, request, exempt: call.exempt ?? [], judged };
    run.options.observer?.onExchange?.({ by: options.label, exchange: numbered, call: seen });
    guardReceived(run.secrets, reply);
    if (reply.outcome === "served" && row.effect === Effect.CREATE && row.record !== undefined)
      given.undoCreated(reply, call);
    return reply;
  }

  /** Each value, and its undoing, has a source of values of its own: two at once would give the same ids. */
  const valueOptions = (number: number) => ({ ...options, label: `${options.label}#${number}` });

  let outings = 0;
  const context: CaseContext = {
    row: ownRow,
    run,
    target: run.target,
    random: run.random.derive(options.label),
    signal,
    get setup() {
      return given;
    },
    async call(rowOrName, request, call = {}) {
      const row = typeof rowOrName === "string" ? rpc(rowOrName) : rowOrName;
      for (let attempt = 0; ; attempt += 1) {
        const reply = await once(row, request, call);
        if (!isBusy(reply) || reply.outcome !== "refused") {
          await run.readLag.catchUp(context, reply);
          return reply;
        }
        const seconds = Number(reply.error.detail?.retryAfterSeconds ?? 0);
        const waitMs = Math.max(seconds * 1000, 50 * 2 ** attempt);
        // A target that has never served anything is not busy but broken: waiting for it would take hours.
        if (!run.health.everServed || !busy.take(waitMs)) {
          throw new Unproven(`${row.name} says it is busy (${describeReply(reply)})`);
        }
        await sleep(waitMs, signal);
      }
    },
    async send(request) {
      checkAlive();
      const { as, headers = [], givenBy, ...rest } = request;
      const exchange = own(await run.wire.send({ ...rest, headers, authorization: as, signal, sender }));
      const row = givenBy === undefined ? undefined : rpc(givenBy);
      if (row !== undefined && !run.ended.aborted) run.invariants.judgeAddress(row, exchange, options.label);
      const given = row === undefined ? {} : { givenBy: row };
      run.options.observer?.onExchange?.({ by: options.label, exchange, ...given });
      return exchange;
    },
    async callAndHangUp(row, request, { baseUrl = run.target.baseUrlOf(row) } = {}) {
      checkAlive();
      const credential = await given.credential(row);
      const authorization: Header = ["authorization", `Bearer ${credential.token}`];
      const headers: Header[] = [...headersFrom(headersOf(row, []), credential), authorization];
      const body = new TextEncoder().encode(JSON.stringify(request));
      const bytes = httpText(baseUrl + row.path, "POST", headers, row.stream ? encodeEnvelope(0, body) : body);
      const { tls, limits } = run.target;
      const url = baseUrl + row.path;
      run.guard.admit({ url, rpc: row.name });
      guardSent(run.secrets, row, request);
      await sendBare({ origin: new URL(baseUrl).origin, bytes, tls, listenMs: 0, maxBytes: limits.maxBodyBytes });
      const shown: Header = ["authorization", shownAuthorization(credential)];
      const sent = { method: "POST", url, headers: [...headers.filter((one) => one !== authorization), shown], body };
      const failure = { kind: "abandoned", message: "hung up before the reply" } as const;
      const unheard = { number: 0, rpc: row.name, response: undefined, failure, startedAt: Date.now(), durationMs: 0 };
      const call = { row, request, exempt: [], judged: false };
      run.options.observer?.onExchange?.({ by: options.label, exchange: { ...unheard, request: sent }, call });
    },
    judge(reply, clause = mainClause, related = []) {
      const judge = createJudge(trace, reply, clause, says, related);
      if (!isUnawaited(reply.exchange)) return judge;
      const isServed = () => {
        throw new Unproven(`needs ${reply.row.name} to show something before it is given up`, reply);
      };
      return { ...judge, isServed };
    },
    needs(reply) {
      if (reply.outcome === "served" && (reply.row.stream || hasContent(reply))) return reply.json;
      throw new Unproven(`needs ${reply.row.name}, which was ${describeReply(reply)}`, reply);
    },
    observe(clause, value) {
      const found = resolveClause(clause, ownRow.package);
      if (found === undefined) throw new Error(`the ledger has no clause ${clause} for ${ownRow.package}`);
      // Seeing what a target chose is what such a case is for.
      trace.checks += 1;
      run.observe({ clause: found.id, rpc: ownRow.name, value });
    },
    property: (arbitrary, predicate, runs = run.options.runs) =>
      checkOver(arbitrary, predicate, {
        runs,
        seed: run.options.seed,
        signal,
        trace,
        checkAlive,
        open: (number) => createContext(valueOptions(number)),
        undo: (inner, number) => undoBehind(inner, valueOptions(number), run),
      }),
    async poll(probe, withinMs) {
      const end = performance.now() + withinMs;
      for (let waitMs = 5; ; waitMs = Math.min(waitMs * 1.6, 500)) {
        const found = await probe();
        if (found !== undefined || performance.now() + waitMs > end || signal.aborted) return found;
        await sleep(waitMs, signal);
      }
    },
    shared(work, name = String(outings++)) {
      // A source of values of its own: what one case shares may be of several kinds, made at once.
      const apart = { ...options, label: `${options.label} apart ${name}` };
      const outer = createContext({ ...apart, signal: AbortSignal.timeout(run.caseMs) });
      run.atClose.push(() => undoAll(outer.trace, apart, run));
      return work(outer.context);
    },
    undo: (action) => trace.undo.push(action),
  };
  const given = createSetup(context);
  return { context, trace };
}

/** Runs the undoing of a trace in reverse order, with a deadline of its own; what cannot be undone is listed. */
export async function undoAll(trace: CaseTrace, options: ContextOptions, run: Run): Promise<void> {
  if (trace.undo.length === 0 || run.options.skipCleanup === true) return;
  const signal = AbortSignal.timeout(run.caseMs);
  const { context } = createContext({ ...options, label: `${options.label} undone`, signal });
  for (const action of trace.undo.toReversed()) {
    try {
      const left = await action(context);
      if (left !== undefined) run.leftovers.push(left);
    } catch (error) {
      run.leftovers.push(`something a case made (${(error as Error).message})`);
    }
  }
}

/** Undoes a trace behind the cases; `run.close` waits for it. */
export function undoBehind(trace: CaseTrace, options: ContextOptions, run: Run): void {
  const undoing = undoAll(trace, options, run).finally(() => run.background.delete(undoing));
  run.background.add(undoing);
}
