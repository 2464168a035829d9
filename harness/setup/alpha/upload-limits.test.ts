import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { changing, failing, openCase, replying } from "../case.testing.ts";
import { retentionWithin, secondsOf, uploadLimits } from "./upload-limits.ts";

const getMiniApp = "alpha.v1.CatalogService/GetMiniApp";
const createUpload = rpc("alpha.v1.ArtifactService/CreateArtifactUpload");

/** A case on a server whose mini apps publish these constraints. */
const publishing = (artifactConstraints: JsonObject) =>
  openCase("alpha.v1", { decoration: replying(getMiniApp, () => ({ miniApp: { artifactConstraints } })) });

test("limits are those of the first mini app, read once", async () => {
  const { context, asked } = await publishing({
    maximumObjectSizeBytes: "64",
    maximumRetention: "1800s",
    acceptedMimeTypes: ["text/*"],
  });
  const limits = { maxBytes: 64, maxRetention: "1800s", mimeTypes: ["text/*"] };
  expect(await Promise.all([uploadLimits(context), uploadLimits(context)])).toEqual([limits, limits]);
  const read = asked.filter((one) => one.rpc === getMiniApp);
  expect(read.map(({ request }) => request.miniAppId)).toEqual([context.target.alpha.miniAppIds[0]]);
});

test("a request asks for no more than the longest retention", async () => {
  const { setup } = (await publishing({ maximumRetention: "59.5s" })).context;
  expect(await setup.request(createUpload, undefined)).toMatchObject({ requestedRetention: "59.5s" });
});

test.each(["", "0s", "0.0s", "-5s", "1800", "PT1H", "1e3s"])(
  "a retention of %j is no limit",
  async (maximumRetention) => {
    const { context } = await publishing({ maximumObjectSizeBytes: "0", maximumRetention });
    expect(await uploadLimits(context)).toEqual({ maxBytes: undefined, maxRetention: undefined, mimeTypes: [] });
  },
);

test("none are known where the catalog is refused, or no mini app is named", async () => {
  const refused = (await openCase("alpha.v1", { decoration: failing(getMiniApp) })).context;
  expect(await uploadLimits(refused)).toEqual({ maxBytes: undefined, maxRetention: undefined, mimeTypes: [] });
  const none = (await openCase("alpha.v1", { target: changing({ "alpha.miniAppIds": [] }) })).context;
  expect(() => uploadLimits(none)).toThrow("needs alpha.miniAppIds");
});

test("an hour is asked for where there is an hour", () => {
  expect([undefined, "86400.5s", "3600s", "3599.5s", "60s"].map(retentionWithin)).toEqual([
    "3600s",
    "3600s",
    "3600s",
    "3599.5s",
    "60s",
  ]);
  expect(secondsOf("59.5s")).toBe(59.5);
});
