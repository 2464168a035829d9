import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { TlsTrust } from "./client.ts";

/** How a bare exchange went: all bytes that came back, and whether the other side ended it. */
export interface BareExchange {
  readonly received: Uint8Array;
  readonly ended: boolean;
}

export interface BareRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly bytes: Uint8Array;
  readonly tls: TlsTrust;
  /** Milliseconds after which we stop reading; 0 hangs up as soon as the bytes are sent. */
  readonly listenMs: number;
  readonly maxBytes: number;
}

/** Sends bytes over a bare socket: what an HTTP client refuses to send, or a request whose reply is not waited for. Never throws. */
export function sendBare({ origin, bytes, tls, listenMs, maxBytes }: BareRequest): Promise<BareExchange> {
  const { protocol, hostname, port } = new URL(origin);
  const secure = protocol === "https:";
  const address = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || (secure ? 443 : 80) };
  return new Promise((resolve) => {
    const parts: Uint8Array[] = [];
    let size = 0;
    let timer: NodeJS.Timeout | undefined;
    const finish = (ended: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ received: Buffer.concat(parts), ended });
    };
    const send = () => {
      socket.write(bytes, () => {
        if (listenMs === 0) finish(false);
        else timer = setTimeout(() => finish(false), listenMs);
      });
    };
    const socket: Socket = secure
      ? connectTls(
          {
            ...address,
            ALPNProtocols: ["http/1.1"],
            ...(tls.ca === undefined ? {} : { ca: tls.ca }),
            rejectUnauthorized: tls.insecure !== true,
          },
          send,
        )
      : connectTcp(address, send);
    socket.setTimeout(10_000, () => finish(false));
    socket.on("data", (part: Uint8Array) => {
      parts.push(part);
      size += part.byteLength;
      if (size > maxBytes) finish(false);
    });
    socket.on("end", () => finish(true));
    socket.on("error", () => finish(true));
  });
}
