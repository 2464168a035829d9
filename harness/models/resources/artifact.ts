import type { JsonObject } from "@bufbuild/protobuf";
import { Change } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import { randomContent } from "../../setup/alpha/content.ts";
import { uploaded } from "../../setup/alpha/upload.ts";
import { textAt } from "../../wire/json.ts";
import { type Created, type Model, modelKind } from "../model.ts";

async function createUploaded(context: CaseContext): Promise<Created> {
  const upload = await uploaded(context, randomContent(context));
  const { row, request } = upload.reply;
  // An upload may count as a change, so the version is read again.
  const subject = (await context.setup.current(upload.artifact)) ?? upload.artifact;
  return { subject, reply: upload.reply, replay: { row, request, baseUrl: undefined } };
}

/** Artifacts: declared and uploaded, completed, deleted. */
export function artifactModel({ setup }: CaseContext): Model {
  const isPending = (record: JsonObject) => textAt(record, "state") === "ARTIFACT_STATE_PENDING_UPLOAD";
  const kind = modelKind("artifact", "alpha.v1", setup.isTombstone, {
    create: createUploaded,
    // The server may verify the content after its reply to a completion, also to a repeated one, and count the end of that
    // as a change: a new version then does not show that a later call had an effect.
    settled: () => false,
    mutations: { [Change.COMPLETES]: { mustServe: isPending } },
  });
  return { package: "alpha.v1", kinds: [kind] };
}
