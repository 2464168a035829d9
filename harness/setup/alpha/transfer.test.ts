import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { TargetFile } from "../../target/schema.ts";
import { openCase } from "../case.testing.ts";
import { describeAnswer, transfer, wentThrough } from "./transfer.ts";

/** A server on loopback; returns its origin. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A target file by which this origin is one of the target's. */
const owning =
  (testBaseUrl: string) =>
  (file: TargetFile): TargetFile => ({ ...file, alpha: { ...file.alpha, testBaseUrl } });

const as = { label: "a key", token: "a token" };

test("an upload is sent on where storage stands elsewhere, and the key is not shown there", async () => {
  const came: (string | undefined)[] = [];
  const storage = await serve((request, response) => {
    came.push(request.method, request.headers.authorization);
    response.end();
  });
  const front = await serve((request, response) => {
    came.push(request.headers.authorization);
    response.writeHead(307, { location: `${storage}/there` }).end();
  });
  const { context } = await openCase("alpha.v1", { target: owning(front) });
  const sent = await transfer(context, { url: `${front}/here`, method: "PUT", body: Buffer.from("x"), as });
  expect(wentThrough(sent)).toBe(true);
  expect(came).toEqual(["Bearer a token", "PUT", undefined]);
});

test("an address of another origin is not sent the key, its answer is nobody's to show, and that is said", async () => {
  let came: string | undefined;
  const url = await serve((request, response) => {
    came = request.headers.authorization;
    response.writeHead(403).end("what only insiders see");
  });
  const { context } = await openCase("alpha.v1");
  const sent = await transfer(context, { url, method: "PUT", body: Buffer.from("x"), as });
  expect(came).toBeUndefined();
  expect(sent.foreign).toBe(true);
  expect(describeAnswer(sent)).toBe(
    `HTTP 403 with 22 bytes (of ${url}, another origin than the target's, where its key is not sent)`,
  );
});

test("a download follows a see-other, an upload does not", async () => {
  const url = await serve((request, response) => {
    if (request.url === "/there") response.end("content");
    else response.writeHead(303, { location: "/there" }).end();
  });
  const { context } = await openCase("alpha.v1", { target: owning(url) });
  expect(describeAnswer(await transfer(context, { url, method: "GET" }))).toBe("HTTP 200 with 7 bytes");
  const sent = await transfer(context, { url, method: "PUT", body: Buffer.from("x") });
  expect([wentThrough(sent), sent.response?.status]).toEqual([false, 303]);
});

test("redirects that lead in a circle come to an end", async () => {
  const { context } = await openCase("alpha.v1");
  let requests = 0;
  const url = await serve((_request, response) => {
    requests += 1;
    response.writeHead(302, { location: "/again" }).end();
  });
  expect(wentThrough(await transfer(context, { url, method: "GET" }))).toBe(false);
  expect(requests).toBe(6);
});

test("what was not answered is told by its failure", async () => {
  const url = await serve((request) => request.destroy());
  const { context } = await openCase("alpha.v1", { target: owning(url) });
  const sent = await transfer(context, { url, method: "GET" });
  expect(wentThrough(sent)).toBe(false);
  expect(describeAnswer(sent)).toBe(sent.failure?.message);
});
