import { defineCase } from "../../../harness/case/case.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import { contentOf } from "../../../harness/setup/alpha/content.ts";
import { complete, declared, declareUpload, send, stored } from "../../../harness/setup/alpha/upload.ts";
import { uploadLimits } from "../../../harness/setup/alpha/upload-limits.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { judgeUnavailable } from "./unverified.ts";

/** How text is written anew by who takes it for the same: other bytes, which have another digest. */
const forms: readonly (readonly [what: string, write: (text: string) => string])[] = [
  ["the line end at the end is missing", (text) => text.trimEnd()],
  ["the line ends are others", (text) => text.replaceAll("\r\n", "\n")],
  ["there is a byte order mark more", (text) => `\ufeff${text}`],
];

export const textForms = defineCase({
  id: "lifecycle/text-written-otherwise-is-never-available",
  says: "text that differs from the declared in its line ends, or in a byte order mark, alone never becomes available under the declared digest",
  clauses: ["alpha.artifacts.wrong-content"],
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  async run(context) {
    const text = `${context.random.token(8)}\r\n${context.random.token(8)}\r\n`;
    const content = contentOf(context, Buffer.from(text));
    const { maxBytes = Number.POSITIVE_INFINITY } = await uploadLimits(context);
    if (content.bytes.byteLength > maxBytes) throw new ChosenOtherwise(`uploads are of ${maxBytes} bytes at most`);
    const asked = await declareUpload(context, content);
    if (asked.outcome === "refused") throw new ChosenOtherwise("no upload of text in two lines is taken");
    // The positive control: the text is accepted as it was declared.
    if ((await orUndefined(stored(context, content))) === undefined) {
      throw new ChosenOtherwise("text in two lines is not completed");
    }
    await Promise.all(
      forms.map(async ([what, write]) => {
        const upload = await declared(context, content);
        await send(context, upload, Buffer.from(write(text)));
        await judgeUnavailable(context, upload, await complete(context, upload.artifact), what);
      }),
    );
  },
});
