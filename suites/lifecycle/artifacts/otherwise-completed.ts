import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { artifactIn, declared, declareUpload, send, stored } from "../../../harness/setup/alpha/upload.ts";
import { textAt } from "../../../harness/wire/json.ts";
import type { Credential } from "../../../harness/wire/request.ts";
import { CredentialKind } from "../../../proto/rpcs.ts";
import { judgeUnavailable, withOtherEnd } from "./unverified.ts";

/** Uploads wrong content, completes it by a credential, and then with the very same request, and judges that it is not available. */
async function judgeWrong(
  context: CaseContext,
  upload: Awaited<ReturnType<typeof declared>>,
  what: string,
  as?: Credential,
): Promise<void> {
  const { row, setup, call } = context;
  await send(context, upload, withOtherEnd(upload.content.bytes));
  // At its version of now: an upload may count as a change.
  const request = await setup.request(row, (await setup.current(upload.artifact)) ?? upload.artifact);
  const options = as === undefined ? {} : { as };
  await judgeUnavailable(context, upload, await call(row, request, options), what);
  const again = await call(row, request, options);
  await judgeUnavailable(context, upload, again, `${what}, and it is completed by the same request again`);
}

export const otherwiseCompleted = defineCase({
  id: "lifecycle/wrong-content-is-not-available-however-it-is-completed",
  says: "wrong content is not available where a key of one scope completes it, nor where another artifact has its name and the declared digest",
  clauses: ["alpha.artifacts.wrong-content"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const { row, setup, needs } = context;
    const content = randomContent(context);
    // The positive control: the declared content is accepted.
    const { artifact } = await stored(context, content);
    // Whether the bytes that are known serve for those that are not sent is not shown: what is available then is what was declared.
    const reply = await declareUpload(context, content, { name: textAt(artifact.record, "name") });
    // Names may have to be unique.
    if (reply.outcome !== "refused") {
      needs(reply);
      const namesake = { reply, artifact: artifactIn(reply), content };
      await judgeWrong(context, namesake, "the last byte differs from what another of its name and digest has");
    }
    const limited = await orUndefined(setup.credentialOfKindWithScope(CredentialKind.API_KEY, row));
    if (limited === undefined) return;
    const upload = await declared(context, randomContent(context));
    await judgeWrong(context, upload, "the last byte differs, and a key of one scope completes it", limited);
  },
});
