import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { sendAll } from "./send-all.ts";

test("every request is sent once, and its answer stands at its place", async () => {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    for await (const piece of request) bodies.push(String(piece));
    if (request.url === "/broken") response.destroy();
    else if (request.url !== "/late") response.writeHead(Number(request.url?.slice(1))).end("read");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const requests = ["200", "broken", "500", "late", "404"].map((path) => ({
      url: `http://127.0.0.1:${port}/${path}`,
      method: "POST",
      headers: [["content-type", "text/plain"]] as const,
      body: Buffer.from(path).toString("base64"),
    }));
    expect(await sendAll(requests)).toEqual([200, "broken", 500, "late", 404]);
    expect(bodies.sort()).toEqual(["200", "404", "500", "broken", "late"]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
