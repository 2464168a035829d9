import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { bodyOf } from "../../wire/exchange.ts";
import { failing, openCase } from "../case.testing.ts";
import { contentOf } from "./content.ts";
import { askDownload, downloadInTime, fetchDownload } from "./download.ts";
import { wentThrough } from "./transfer.ts";
import { stored } from "./upload.ts";

test("what was stored is fetched again", async () => {
  const { context } = await openCase("alpha.v1");
  const content = contentOf(context, Buffer.from("some content"));
  const { artifact } = await stored(context, content);
  const fetched = await fetchDownload(context, await askDownload(context, artifact));
  expect(wentThrough(fetched)).toBe(true);
  expect(Buffer.from(bodyOf(fetched.response ?? expect.fail("nothing was answered"))).toString()).toBe("some content");
});

test("where no address is given the case is unproven", async () => {
  const rpc = "alpha.v1.ArtifactService/CreateArtifactDownload";
  const { context } = await openCase("alpha.v1", { decoration: failing(rpc) });
  const reply = await askDownload(context, await context.setup.fresh("artifact"));
  await expect(fetchDownload(context, reply)).rejects.toThrow(`needs ${rpc}`);
});

test("an address that expired before its turn came is asked for again", async () => {
  const { context, asked } = await openCase("alpha.v1", { decoration: { choices: { downloadUrlLifetimeMs: 300 } } });
  const { artifact } = await stored(context, contentOf(context, Buffer.from("some content")));
  const first = await askDownload(context, artifact);
  await new Promise((resolve) => setTimeout(resolve, 400));
  const { reply, fetched } = await downloadInTime(context, artifact, first);
  expect(reply).not.toBe(first);
  expect(wentThrough(fetched)).toBe(true);
  expect(asked.filter(({ rpc }) => rpc.endsWith("/CreateArtifactDownload"))).toHaveLength(2);
});

test("one that is good for minutes and does not answer is as it is", async () => {
  const raw = (request: IncomingMessage, response: ServerResponse, next: () => void) =>
    request.method === "GET" ? void response.writeHead(404).end() : next();
  const { context, asked } = await openCase("alpha.v1", { decoration: { raw } });
  const { artifact } = await stored(context, contentOf(context, Buffer.from("some content")));
  const { fetched } = await downloadInTime(context, artifact, await askDownload(context, artifact));
  expect(fetched.response?.status).toBe(404);
  expect(asked.filter(({ rpc }) => rpc.endsWith("/CreateArtifactDownload"))).toHaveLength(1);
});
