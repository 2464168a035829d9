import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { changing, openCase } from "../case.testing.ts";
import { alphaPackage } from "./setup.ts";

test("fields that only alpha.v1 has are filled", async () => {
  const { setup } = (await openCase("alpha.v1")).context;
  const upload = await setup.request(rpc("alpha.v1.ArtifactService/CreateArtifactUpload"), undefined);
  expect(upload).toMatchObject({ miniAppId: expect.any(String), requestedRetention: "3600s" });
  const fixture = await setup.request(rpc("alpha.v1.PublicTestFixtureService/RunSync"), undefined);
  expect(fixture.input).toEqual(expect.any(String));
});

test("what the target file lacks for them is named", async () => {
  const target = changing({ "alpha.miniAppIds": [], "alpha.fixtureInputs": {} });
  const { setup } = (await openCase("alpha.v1", { target })).context;
  const asking = (name: string) => setup.request(rpc(`alpha.v1.${name}`), undefined);
  await expect(asking("ArtifactService/CreateArtifactUpload")).rejects.toThrow("needs alpha.miniAppIds");
  await expect(asking("PublicTestFixtureService/RunSync")).rejects.toThrow("needs alpha.fixtureInputs.succeed");
});

test("rows that see the jobs of fixtures are called where those are visible, others as usual", async () => {
  const getJob = () => () => Promise.reject(new Error("it is not shown"));
  const { context } = await openCase("alpha.v1", {
    decoration: { handlers: { "alpha.v1.JobService/GetJob": getJob } },
  });
  await expect(alphaPackage.homeUrl(context, rpc("alpha.v1.JobService/ListJobs"))).rejects.toThrow(
    "needs a job that GetJob shows",
  );
  expect(await alphaPackage.homeUrl(context, rpc("alpha.v1.SecretService/ListSecrets"))).toBeUndefined();
});
