import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, TLSSocket } from "node:tls";
import type { TlsTrust } from "./request.ts";

/** What came back over a bare socket: the bytes, and whether the other side closed the connection. */
export interface BareExchange {
  readonly received: Uint8Array;
  readonly ended: boolean;
}

/** Bytes to send over a bare socket. */
export interface BareRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly bytes: Uint8Array;
  readonly tls: TlsTrust;
  /** Milliseconds to read after sending; 0 closes the connection as soon as the bytes are sent. */
  readonly listenMs: number;
  readonly maxBytes: number;
  /** Told of each piece that was received: whether nothing more is listened for. Default: never. */
  readonly isEnough?: (piece: Uint8Array) => boolean;
  /** Called once the bytes are sent. */
  readonly onSent?: () => void;
}

/** Opens a connection to the host and port of a URL; over TLS for https, offering these ALPN protocols. */
export function openSocket({ protocol, hostname, port }: URL, tls: TlsTrust, protocols: string[]): Socket {
  const secure = protocol === "https:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const address = { host, port: Number(port) || (secure ? 443 : 80) };
  if (!secure) return connectTcp(address);
  return connectTls({
    ...address,
    ALPNProtocols: protocols,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    rejectUnauthorized: tls.insecure !== true,
  });
}

/**
 * Sends bytes over a bare socket: what an HTTP client refuses to send, or a request whose reply is not waited for. Never
 * rejects; ends 10 seconds after the last byte at the latest.
 */
export function sendBare(request: BareRequest): Promise<BareExchange> {
  const { origin, bytes, tls, listenMs, maxBytes, isEnough, onSent } = request;
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
        onSent?.();
        if (listenMs === 0) finish(false);
        else timer = setTimeout(() => finish(false), listenMs);
      });
    };
    const socket = openSocket(new URL(origin), tls, ["http/1.1"]);
    socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", send);
    socket.setTimeout(10_000, () => finish(false));
    socket.on("data", (part: Uint8Array) => {
      parts.push(part);
      size += part.byteLength;
      if (size > maxBytes || isEnough?.(part) === true) finish(false);
    });
    socket.on("end", () => finish(true));
    socket.on("error", () => finish(true));
  });
}
