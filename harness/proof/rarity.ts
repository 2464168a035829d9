import type { JsonObject } from "@bufbuild/protobuf";
import { rpc as rowOf } from "../../proto/rpcs.ts";
import type { Fault } from "../servers/faults/fault.ts";
import type { Call, Context, Handler, World } from "../servers/reference/core/context.ts";
import type { Decoration } from "../servers/reference/core/decoration.ts";

/** Whether a fault shows in a call; `reply` is the message on its way out, where there is one. */
type Gate = (call: Call, reply?: JsonObject) => boolean;

/** When a fault shows: in few calls, under load, at a border. */
export interface Rarity {
  readonly id: string;
  /** `in one call of ten`. */
  readonly says: string;
  /** What makes it likelier to be found, for the page. */
  readonly raisedBy: string;
  /** Whether it makes sense for a fault. */
  readonly fits: (fault: Fault) => boolean;
  /** A gate for one server, and what has to see every request for it. */
  readonly open: (fault: Fault) => { readonly gate: Gate; readonly raw?: Decoration["raw"] };
}

const gated = ["request", "requestBytes", "requestBody", "reply", "error", "http", "frames", "handlers"] as const;

/** Whether all a fault does is done call by call, so that it can be left out of some. */
export function isByCall({ decoration, server, target, equivalent }: Fault): boolean {
  const hooks: readonly string[] = gated;
  const isPlain = server === undefined && target === undefined && equivalent === undefined;
  return isPlain && Object.keys(decoration).every((name) => hooks.includes(name));
}

/** Only when the request is authenticated is it known who calls. */
const afterwards = ["reply", "error", "http", "frames", "handlers"];

function isAfterwards({ decoration }: Fault): boolean {
  return Object.keys(decoration).every((name) => afterwards.includes(name));
}

function isOnlyReply({ decoration }: Fault): boolean {
  return Object.keys(decoration).join() === "reply";
}

/** Decides once for each call of an RPC. */
function decided({ rpc }: Fault, decide: (call: Call) => boolean): Gate {
  const known = new WeakMap<Call, boolean>();
  return (call) => {
    if (call.rpc !== rpc) return false;
    const shows = known.get(call) ?? decide(call);
    known.set(call, shows);
    return shows;
  };
}

function oneIn(count: number): Rarity["open"] {
  return (fault) => {
    let calls = 0;
    return { gate: decided(fault, () => ++calls % count === 0) };
  };
}

/** Calls after which a fault begins. */
const lateAfter = 500;
const inFlight = 8;
const nearEndMs = 3000;

/** Every way a fault may be seldom seen. */
export const rarities: readonly Rarity[] = [
  { id: "1-in-10", says: "in one call of 10", raisedBy: "--runs", fits: isByCall, open: oneIn(10) },
  { id: "1-in-100", says: "in one call of 100", raisedBy: "--runs", fits: isByCall, open: oneIn(100) },
  {
    id: "late",
    says: `only after ${lateAfter} requests to the server`,
    raisedBy: "--seed, which changes nothing of what comes last",
    fits: isByCall,
    open(fault) {
      let requests = 0;
      return {
        gate: decided(fault, () => requests > lateAfter),
        raw(_request, _response, next) {
          requests += 1;
          next();
        },
      };
    },
  },
  {
    id: "crowded",
    says: `only with ${inFlight} requests in flight`,
    raisedBy: "limits.concurrency",
    fits: isByCall,
    open(fault) {
      let now = 0;
      return {
        gate: decided(fault, () => now >= inFlight),
        raw(_request, response, next) {
          now += 1;
          response.once("close", () => {
            now -= 1;
          });
          next();
        },
      };
    },
  },
  {
    id: "second-tenant",
    says: "only for the second tenant",
    raisedBy: "isolation.secondTenant",
    fits: (fault) => isByCall(fault) && isAfterwards(fault),
    open({ rpc }) {
      let first: string | undefined;
      return {
        gate(call) {
          first ??= call.principal?.workspaceId;
          return call.rpc === rpc && call.principal !== undefined && call.principal.workspaceId !== first;
        },
      };
    },
  },
  {
    id: "page-border",
    says: "only on a page that another follows",
    raisedBy: "--runs",
    fits: (fault) => isByCall(fault) && isOnlyReply(fault) && rowOf(fault.rpc).list !== undefined,
    open({ rpc }) {
      const follows = ({ page }: JsonObject) => Boolean((page as { nextCursor?: string } | undefined)?.nextCursor);
      return { gate: (call, reply) => call.rpc === rpc && reply !== undefined && follows(reply) };
    },
  },
  {
    id: "redelivered",
    says: "only of deliveries that were sent again",
    raisedBy: "webhooks.listen",
    fits: (fault) => isByCall(fault) && isOnlyReply(fault) && fault.rpc.includes("WebhookDeliver"),
    open({ rpc }) {
      const again = (reply: JsonObject) => /"attemptCount":"?([2-9]|1\d)/.test(JSON.stringify(reply));
      return { gate: (call, reply) => call.rpc === rpc && reply !== undefined && again(reply) };
    },
  },
  {
    id: "token-end",
    says: `only in the last ${nearEndMs / 1000} s of a token`,
    raisedBy: "patience.settleMs",
    fits: (fault) => isByCall(fault) && isAfterwards(fault) && fault.package === "beta.v1",
    open: (fault) => ({
      gate: decided(fault, ({ principal }) => (principal?.until ?? Number.POSITIVE_INFINITY) - Date.now() < nearEndMs),
    }),
  },
];

/** The decoration of a fault that shows where the rarity lets it, and nowhere else. */
export function rarely(fault: Fault, rarity: Rarity): Decoration {
  const { request, requestBytes, requestBody, reply, error, http, frames, handlers } = fault.decoration as Decoration;
  const { gate, raw } = rarity.open(fault);
  const when =
    <V, R>(hook: (value: V, call: Call) => R) =>
    (value: V, call: Call): R | V =>
      gate(call) ? hook(value, call) : value;
  const wrapped = Object.entries(handlers ?? {}).map(
    ([name, wrap]) =>
      [
        name,
        (next: Handler<World>): Handler<World> => {
          const changed = wrap(next);
          return (context: Context, message) => (gate(context.call) ? changed : next)(context, message);
        },
      ] as const,
  );
  return {
    ...(request && { request: when(request) }),
    ...(requestBytes && { requestBytes: when(requestBytes) }),
    ...(requestBody && { requestBody: when(requestBody) }),
    ...(reply && { reply: (json, call) => (gate(call, json) ? reply(json, call) : json) }),
    ...(error && { error: when(error) }),
    ...(http && { http: when(http) }),
    ...(frames && { frames: when(frames) }),
    ...(handlers && { handlers: Object.fromEntries(wrapped) }),
    ...(raw && { raw }),
  };
}
