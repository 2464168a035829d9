import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import { createCertificate } from "../../reference/certificate.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { encodeEnvelope, endStreamFlag } from "../../reference/core/envelope.ts";
import { clauseFor, defineSharedFault, type Fault, prefixOf } from "../fault.ts";

const watchJob = "alpha.v1.JobService/WatchJob";
const runStream = "alpha.v1.PublicTestFixtureService/RunStream";
const watchRun = "beta.v1.RunService/WatchRun";
const streamText = "beta.v1.RunService/StreamRunText";

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

const isEnd = (envelope: Uint8Array) => ((envelope[0] ?? 0) & endStreamFlag) !== 0;

/** What is on its way for longer than this waits for the client, in milliseconds. */
const usual = 2;

/** Puts a writer between the streams of an RPC and their clients. */
function writing(name: string, createWriter: (outlet: Outlet) => Writer): WireHooks {
  return {
    raw(request, response, next) {
      if (request.url !== `/${name}`) return next();
      const [write, end] = [response.write.bind(response), response.end.bind(response)];
      let since = 0;
      const writer = createWriter({
        isFull: () => response.writableLength > 0 && performance.now() - since > usual,
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
  };
}

/** Leaves out what it is not to send while the window is full. */
const leavingOut =
  (left: (envelope: Uint8Array) => boolean) =>
  ({ isFull, write }: Outlet): Writer => ({
    write(envelope) {
      if (!isFull() || !left(envelope)) write(envelope);
    },
  });

/** Puts what waits into another form while the window is full: `waiting` are messages, and the latest that came. */
const packing =
  (pack: (waiting: readonly Uint8Array[], latest: Uint8Array) => readonly Uint8Array[]) =>
  (outlet: Outlet): Writer => {
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
        else if (isEnd(envelope)) closing = [envelope];
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
  };

/** Says no more once the window was full, and does not end. */
const stalling = ({ isFull, write, end }: Outlet): Writer => {
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
};

const cutting = ({ isFull, write, cut }: Outlet): Writer => ({
  write(envelope) {
    if (isFull()) cut();
    else write(envelope);
  },
});

const eventOf = (envelope: Uint8Array) =>
  ((JSON.parse(Buffer.from(envelope.subarray(5)).toString()) as JsonObject).event ?? {}) as JsonObject;

/** Puts fragments of text that wait together, under the latest's sequence. */
function joined(waiting: readonly Uint8Array[], latest: Uint8Array): readonly Uint8Array[] {
  const event = eventOf(latest);
  const delta = [...waiting, latest].map((envelope) => String(eventOf(envelope).delta ?? "")).join("");
  return [encodeEnvelope(0, Buffer.from(JSON.stringify({ event: { ...event, delta } })))];
}

type Row = readonly [
  name: string,
  what: string,
  says: string,
  breaks: string,
  createWriter: (outlet: Outlet) => Writer,
];

const isMessage = (envelope: Uint8Array) => !isEnd(envelope);
const newest = (_waiting: readonly Uint8Array[], latest: Uint8Array) => [latest];
const last = (most: number) => (waiting: readonly Uint8Array[], latest: Uint8Array) =>
  [...waiting, latest].slice(-most);

const rows: readonly Row[] = [
  [
    watchRun,
    "drops-what-waits",
    "leaves out events that its client cannot take yet",
    "watch.no-loss",
    leavingOut(isMessage),
  ],
  [
    watchRun,
    "keeps-the-newest",
    "keeps the newest event only for a client that is slow",
    "watch.no-loss",
    packing(newest),
  ],
  [
    watchRun,
    "keeps-two",
    "keeps the last two events only for a client that is slow",
    "watch.no-loss",
    packing(last(2)),
  ],
  [watchJob, "stalls", "says no more to a client that was slow once", "watch.no-loss", stalling],
  [
    streamText,
    "joins-what-waits",
    "puts fragments of text together for a client that is slow",
    "watch.same-event",
    packing(joined),
  ],
  ...[watchJob, runStream, watchRun, streamText].map(
    (name): Row => [name, "cuts-who-is-slow", "cuts off a client that is slow", "connect.whole-reply", cutting],
  ),
  // The end of a text comes some time after the last of it.
  ...[watchJob, runStream, watchRun].map(
    (name): Row => [
      name,
      "loses-its-end",
      "leaves out the end of a stream whose client is slow",
      "connect.stream.end",
      leavingOut(isEnd),
    ],
  ),
];

/** They show over HTTP/2 only: there a client says how much it takes, and takes little. */
export const slowReaders: readonly Fault[] = rows.map(([name, what, says, breaks, createWriter]) => {
  const row = rpc(name);
  return {
    ...defineSharedFault({
      id: `stream/deep-slow-${prefixOf(row)}${row.method}-${what}`,
      says: `${row.method} ${says}`,
      breaks: breaks.startsWith("connect.") ? breaks : clauseFor(row, breaks),
      rpc: name,
      decoration: writing(name, createWriter),
    }),
    server: () => ({ tls: createCertificate() }),
    target: (file) => ({ ...file, tls: { insecure: true } }),
  };
});
