import type { RpcRow } from "../../../../proto/rpcs.ts";
import { createCertificate } from "../../reference/certificate.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import type { Fault } from "../fault.ts";
import { envelopeOf, isEndStream, jsonIn } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";
import { eventOf } from "./events.ts";

/** The way of one stream to its client. */
interface Outlet {
  /** Something has waited for the client to let it through: its window is full. */
  isFull(): boolean;
  write(envelope: Uint8Array): void;
  end(): void;
  /** Ends it in the midst, what waits included. */
  cut(): void;
  /** Calls back once everything has gone through. */
  whenOpen(then: () => void): void;
}

/** What a server does with the envelopes of one stream, and with its end. Absent: what is right. */
interface Writer {
  write(envelope: Uint8Array): void;
  end?(): void;
}

/** What is on its way for longer than this waits for the client. */
const usualMs = 2;

/** Puts a writer between the streams of an RPC and their clients. */
const writing =
  (createWriter: (outlet: Outlet) => Writer) =>
  ({ path }: RpcRow): WireHooks => ({
    raw(request, response, next) {
      if (request.url !== path) return next();
      const [write, end] = [response.write.bind(response), response.end.bind(response)];
      let since = 0;
      const writer = createWriter({
        isFull: () => response.writableLength > 0 && performance.now() - since > usualMs,
        write(envelope) {
          if (response.writableLength === 0) since = performance.now();
          write(envelope);
        },
        end: () => end(),
        cut: () => response.destroy(new Error("too slow")),
        whenOpen(then) {
          const look = setInterval(() => {
            if (response.writableLength > 0 && !response.destroyed) return;
            clearInterval(look);
            if (!response.destroyed) then();
          }, 1);
        },
      });
      response.write = ((bytes: unknown) => {
        writer.write(bytes as Uint8Array);
        return true;
      }) as typeof response.write;
      response.end = (() => {
        if (writer.end === undefined) end();
        else writer.end();
        return response;
      }) as typeof response.end;
      next();
    },
  });

/** Leaves out what it is not to send while the window is full. */
const leavingOut = (left: (envelope: Uint8Array) => boolean) =>
  writing(({ isFull, write }) => ({
    write(envelope) {
      if (!isFull() || !left(envelope)) write(envelope);
    },
  }));

/** Puts what waits into another form while the window is full: `waiting` are messages, and the latest that came. */
const packing = (pack: (waiting: readonly Uint8Array[], latest: Uint8Array) => readonly Uint8Array[]) =>
  writing((outlet) => {
    let waiting: readonly Uint8Array[] = [];
    let closing: readonly Uint8Array[] = [];
    let over = false;
    const flush = () => {
      for (const envelope of [...waiting, ...closing]) outlet.write(envelope);
      [waiting, closing] = [[], []];
      if (over) outlet.end();
    };
    return {
      write(envelope) {
        if (waiting.length === 0 && !outlet.isFull()) outlet.write(envelope);
        else if (isEndStream(envelope)) closing = [envelope];
        else {
          if (waiting.length === 0) outlet.whenOpen(flush);
          waiting = pack(waiting, envelope);
        }
      },
      end() {
        over = true;
        if (waiting.length === 0 && closing.length === 0) outlet.end();
        else if (waiting.length === 0) outlet.whenOpen(flush);
      },
    };
  });

/** Says no more once the window was full, and does not end. */
const stalling = writing(({ isFull, write, end }) => {
  let stalled = false;
  return {
    write(envelope) {
      stalled ||= isFull();
      if (!stalled) write(envelope);
    },
    end() {
      if (!stalled) end();
    },
  };
});

const cutting = writing(({ isFull, write, cut }) => ({
  write(envelope) {
    if (isFull()) cut();
    else write(envelope);
  },
}));

/** Puts fragments of text that wait together, under the latest's sequence. */
function joined(waiting: readonly Uint8Array[], latest: Uint8Array): readonly Uint8Array[] {
  const delta = [...waiting, latest].map((envelope) => String(eventOf(jsonIn(envelope)).delta ?? "")).join("");
  return [envelopeOf({ event: { ...eventOf(jsonIn(latest)), delta } })];
}

const last = (max: number) => (waiting: readonly Uint8Array[], latest: Uint8Array) => [...waiting, latest].slice(-max);

const cutOff = ["cuts off a client that is slow", cutting] as const;
const endLost = ["leaves out the end of a stream whose client is slow", leavingOut(isEndStream)] as const;

const faults: readonly Fault[] = [
  ...faultsOf("stream", "alpha.v1", {
    "*.watch.no-loss": { "WatchJob-stalls": ["says no more to a client that was slow once", stalling] },
    "connect.whole-reply": { "WatchJob-cuts-who-is-slow": cutOff, "RunStream-cuts-who-is-slow": cutOff },
    "connect.stream.end": { "WatchJob-loses-its-end": endLost, "RunStream-loses-its-end": endLost },
  }),
  ...faultsOf("stream", "beta.v1", {
    "*.watch.no-loss": {
      "WatchRun-drops-what-waits": [
        "leaves out events that its client cannot take yet",
        leavingOut((envelope) => !isEndStream(envelope)),
      ],
      "WatchRun-keeps-the-newest": ["keeps the newest event only for a client that is slow", packing(last(1))],
      "WatchRun-keeps-two": ["keeps the last two events only for a client that is slow", packing(last(2))],
    },
    "*.watch.same-event": {
      "StreamRunText-joins-what-waits": ["puts fragments of text together for a client that is slow", packing(joined)],
    },
    "connect.whole-reply": { "WatchRun-cuts-who-is-slow": cutOff, "StreamRunText-cuts-who-is-slow": cutOff },
    // The end of a text comes some time after the last of it, when nothing waits any more.
    "connect.stream.end": { "WatchRun-loses-its-end": endLost },
  }),
];

/** They show over HTTP/2 only: there a client says how much it takes, and takes little. */
export const slowReaders: readonly Fault[] = faults.map((fault) => ({
  ...fault,
  server: () => ({ tls: createCertificate() }),
  target: (file) => ({ ...file, tls: { insecure: true } }),
}));
