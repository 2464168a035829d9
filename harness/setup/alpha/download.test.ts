import { expect, test } from "vitest";
import { bodyOf } from "../../wire/exchange.ts";
import { failing, openCase } from "../case.testing.ts";
import { contentOf } from "./content.ts";
import { askDownload, fetchDownload } from "./download.ts";
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
