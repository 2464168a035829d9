import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { failing, openCase, seen } from "../case.testing.ts";

test("an artifact is available, and deleted when the case is over", async () => {
  const { context, end } = await openCase("alpha.v1");
  const made = await context.setup.fresh("artifact");
  expect(made).toMatchObject({ kind: "artifact", record: { state: "ARTIFACT_STATE_AVAILABLE" } });
  expect(await seen(context, made)).toEqual(made.record);
  expect(await end()).toEqual([]);
  expect(await seen(context, made)).toBeUndefined();
});

test("one that is uploaded awaits its completion: what the row that completes uploads is asked for", async () => {
  const { context, end } = await openCase("alpha.v1");
  const row = rpc("alpha.v1.ArtifactService/CompleteArtifactUpload");
  const made = (await context.setup.subjectOf(row)) ?? expect.fail("the row has no subject");
  expect(made.record.state).toBe("ARTIFACT_STATE_PENDING_UPLOAD");
  const completed = await context.call(row, await context.setup.request(row, made));
  expect(context.setup.subjectIn(completed).record.state).toBe("ARTIFACT_STATE_AVAILABLE");
  expect(await end()).toEqual([]);
  expect(await seen(context, made)).toBeUndefined();
});

test("every declaration is of other content", async () => {
  const { setup } = (await openCase("alpha.v1")).context;
  const row = rpc("alpha.v1.ArtifactService/CreateArtifactUpload");
  const [one, other] = [await setup.request(row, undefined), await setup.request(row, undefined)];
  expect(one).toMatchObject({ sizeBytes: "32", requestedRetention: "3600s" });
  expect(one.sha256Hex).not.toBe(other.sha256Hex);
});

test("what cannot be deleted is left behind", async () => {
  const { context, end } = await openCase("alpha.v1", {
    decoration: failing("alpha.v1.ArtifactService/DeleteArtifact"),
  });
  await context.setup.fresh("artifact");
  expect(await end()).toEqual([expect.stringMatching(/^artifact .* of workspace /)]);
});
