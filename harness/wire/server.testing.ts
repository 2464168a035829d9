import { createServer, type RequestListener, type Server } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** For tests on loopback only: a self-signed certificate for localhost and 127.0.0.1. */
export const testCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgISJqORuw1DyLDZny
jMJQnvpIQFVwmqA92vicM3WgE5+hRANCAAQK2FyoG6K0RKXKeuQ4SfDZVsuNfVo0
DT3ZrOTSGWrCOm3hIj/nkIPv9GrWYzSwlIoEicp7VAYvVd2MbopKF/vG
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUC5IyVSWSKkEmtDFlzwAExbqjn1YwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDE5MzEyM1oYDzIxMjYxMDI3
MTkzMTIzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQK2FyoG6K0RKXKeuQ4SfDZVsuNfVo0DT3ZrOTSGWrCOm3hIj/nkIPv
9GrWYzSwlIoEicp7VAYvVd2MbopKF/vGo28wbTAdBgNVHQ4EFgQULdm1h1alGnUC
GMnY4NAxD3i55z0wHwYDVR0jBBgwFoAULdm1h1alGnUCGMnY4NAxD3i55z0wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgIvotsvJzTzfwEs0PwaLM7ONgAPFb/0wMLJUGnmQ5rmECIQD5
a1/I9n8C6aSUy4QC547yg/XrxVTZ+RTXAdXaX/bXmA==
-----END CERTIFICATE-----`,
};

async function listen(server: Server | Http2SecureServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** For tests: an HTTP/1.1 server on loopback until the test is over. Gives its base URL. */
export async function serveHttp1(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

/** For tests: an HTTP/2 server over TLS on loopback until the test is over. Gives its base URL. */
export async function serveHttp2(
  listener: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
): Promise<string> {
  const server = createSecureServer(testCertificate, listener);
  server.on("session", (session) => onTestFinished(() => session.destroy()));
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${await listen(server)}`;
}
