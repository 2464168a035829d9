import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { findVariant } from "../servers/variants/index.ts";
import { revisingJobs } from "../servers/variants/version/revisions.ts";
import { openCase, replying } from "./case.testing.ts";
import { isRevisedUntouched } from "./late-revision.ts";

/** How long after its end a job is revised, in milliseconds: later than the first of a kind are watched for it. */
const lateMs = 1600;

const deleteJob = rpc("alpha.v1.JobService/DeleteJob");

/** An ended job, and whether the calls before are blamed for a version that moved by itself since. */
async function effectOnceRevised(decoration: object) {
  const { context } = await openCase("alpha.v1", { decoration });
  const { setup, poll } = context;
  const ended = await setup.fresh("job");
  await poll(async () => ((await setup.current(ended))?.version !== ended.version ? true : undefined), 3000);
  return setup.effectOn(deleteJob, ended);
}

test("a version that others of the kind move by themselves is no effect of the calls before", async () => {
  expect(await effectOnceRevised(revisingJobs(lateMs))).toEqual({ visible: false, seen: "the job is as before" });
});

test("a version of an endpoint that deliveries move is no effect of the calls before; one that nothing else moves is", async () => {
  const { decoration } = await findVariant("alpha.attempts-move-their-endpoint");
  const judged = async (how: object) => {
    const { context } = await openCase("alpha.v1", { decoration: how });
    return isRevisedUntouched(context, await context.setup.fresh("webhook_endpoint"), ["resourceVersion", "updatedAt"]);
  };
  expect(await judged(decoration)).toBe(true);
  expect(await judged({})).toBe(false);
});

test("a version that others keep, other fields, and what goes on say nothing of revisions", async () => {
  const { context } = await openCase("alpha.v1");
  const { setup } = context;
  const [ended, running] = [await setup.fresh("job"), await setup.fresh("job:running")];
  expect(await isRevisedUntouched(context, ended, ["resourceVersion", "updatedAt"])).toBe(false);
  expect(await isRevisedUntouched(context, ended, ["resourceVersion", "state"])).toBe(false);
  expect(await isRevisedUntouched(context, running, ["resourceVersion"])).toBe(false);
});

test("what nothing shows is not looked for", async () => {
  const { context } = await openCase("beta.v1");
  const asked = await context.setup.subjectOf(rpc("beta.v1.OAuthHandoffService/CompleteOAuthLoginRequest"));
  expect(await isRevisedUntouched(context, asked ?? expect.fail("there is none"), ["resourceVersion"])).toBe(false);
});

test("an endpoint that its creation shows at another version than readings do does not move by itself", async () => {
  const creates = "alpha.v1.WebhookService/CreateWebhookEndpoint";
  const { context } = await openCase("alpha.v1", {
    decoration: replying(creates, (json) => ({
      ...json,
      endpoint: { ...(json.endpoint as object), resourceVersion: "999" },
    })),
  });
  const endpoint = await context.setup.fresh("webhook_endpoint");
  expect(await isRevisedUntouched(context, endpoint, ["resourceVersion"])).toBe(false);
});
