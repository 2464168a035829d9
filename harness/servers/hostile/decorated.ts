import type { TargetFile } from "../../target/schema.ts";
import { type Embedded, startEmbedded } from "../reference/embedded.ts";
import type { ReferenceOptions } from "../reference/main.ts";
import type { SharedDecoration } from "../variants/variant.ts";
import { createWatcher } from "../watcher.ts";
import type { Hosted } from "./hostile.ts";

/** How a decorated reference differs beside its decoration. */
export interface DecoratedOptions {
  readonly server?: Omit<ReferenceOptions, "decoration">;
  readonly target?: (file: TargetFile) => TargetFile;
}

/** The references, each with this decoration, as a target. */
export async function hostDecorated(
  decoration: SharedDecoration,
  { server = {}, target = (file) => file }: DecoratedOptions = {},
): Promise<Hosted> {
  const watcher = createWatcher();
  const embedded: Embedded = await startEmbedded({
    "alpha.v1": { ...server, decoration: watcher.watch(decoration) },
    "beta.v1": { ...server, decoration: watcher.watch(decoration) },
  });
  return {
    file: target({ ...embedded.file, name: "a hostile target" }),
    issued: watcher.issued,
    left: watcher.left,
    close: () => embedded.close(),
  };
}

/** The target file of a server that wants the API key with uploads and downloads, too. */
export const authorizing = (file: TargetFile): TargetFile => ({
  ...file,
  alpha: { ...file.alpha, upload: { authorization: true } },
});
