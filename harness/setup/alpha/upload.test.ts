import { expect, test } from "vitest";
import { changing, openCase } from "../case.testing.ts";
import { contentOf, randomContent } from "./content.ts";
import { wentThrough } from "./transfer.ts";
import {
  artifactIn,
  complete,
  declared,
  declaredFields,
  declareUpload,
  isAvailable,
  send,
  stored,
  untilAvailable,
  uploaded,
} from "./upload.ts";

const names = (asked: readonly { readonly rpc: string }[]) => asked.map(({ rpc }) => rpc.split("/")[1]);

test("a declaration is of its content, and differs where it is told to", async () => {
  const { context } = await openCase("alpha.v1");
  const content = randomContent(context);
  const upload = await declared(context, content);
  expect(declaredFields(upload)).toMatchObject(content.declared);
  expect(upload.artifact.record).toMatchObject(content.declared);
  expect(isAvailable(upload.artifact.record)).toBe(false);
  const other = await declareUpload(context, content, { requestedRetention: "600s" });
  expect(other.request.requestedRetention).toBe("600s");
});

test("what was sent and completed is available", async () => {
  const { context } = await openCase("alpha.v1");
  const upload = await declared(context, randomContent(context));
  expect(await untilAvailable(context, upload.artifact, 0)).toBeUndefined();
  expect(wentThrough(await send(context, upload))).toBe(true);
  context.needs(await complete(context, upload.artifact));
  const reply = (await untilAvailable(context, upload.artifact, 1000)) ?? expect.fail("it is not available");
  expect(artifactIn(reply)).toMatchObject({ kind: "artifact", shownBy: "alpha.v1.ArtifactService/GetArtifact" });
});

test("other bytes than the declared ones are not taken for them", async () => {
  const { context } = await openCase("alpha.v1");
  const upload = await declared(context, contentOf(context, Buffer.from("these")));
  await send(context, upload, Buffer.from("those"));
  expect((await complete(context, upload.artifact)).outcome).toBe("refused");
});

test("stored content is not read before it is completed, nor after where it is available at once", async () => {
  const { context, asked } = await openCase("alpha.v1");
  const { artifact } = await stored(context, randomContent(context));
  expect(isAvailable(artifact.record)).toBe(true);
  const own = asked.filter(({ rpc }) => rpc.includes("ArtifactService"));
  expect(names(own)).toEqual(["CreateArtifactUpload", "CompleteArtifactUpload"]);
});

test("another upload is declared where an address is good for a moment only, three in all", async () => {
  const { context, asked } = await openCase("alpha.v1", { decoration: { choices: { uploadUrlLifetimeMs: 0 } } });
  await expect(uploaded(context, randomContent(context))).rejects.toThrow(
    "needs an upload to uploadUrl, which answered HTTP",
  );
  expect(names(asked).filter((name) => name === "CreateArtifactUpload")).toHaveLength(3);
});

test("the key is sent to the address where the target file asks for it", async () => {
  const { context } = await openCase("alpha.v1", { target: changing({ "alpha.upload": { authorization: true } }) });
  const { request } = await send(context, await declared(context, randomContent(context)));
  expect(request.headers.some(([name]) => name.toLowerCase() === "authorization")).toBe(true);
});
