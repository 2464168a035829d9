import { expect, test } from "vitest";
import { changing, openCase } from "../case.testing.ts";
import { contentOf, randomContent } from "./content.ts";

test("content is described by its type, its size and its digest", async () => {
  const { context } = await openCase("alpha.v1", { target: changing({ "alpha.artifactMimeType": "text/plain" }) });
  expect(contentOf(context, Buffer.from("abc")).declared).toEqual({
    mimeType: "text/plain",
    sizeBytes: "3",
    sha256Hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  });
});

test("random content is other each time", async () => {
  const { context } = await openCase("alpha.v1");
  expect(randomContent(context).bytes).not.toEqual(randomContent(context).bytes);
});
