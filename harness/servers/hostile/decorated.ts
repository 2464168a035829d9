import type { Message } from "@bufbuild/protobuf";
import type { PackageName } from "../../../proto/rpcs.ts";
import type { TargetFile } from "../../target/schema.ts";
import type { Context, Reply, World } from "../reference/core/context.ts";
import { isStream } from "../reference/core/context.ts";
import { idText, readField } from "../reference/core/fields.ts";
import { type Embedded, startEmbedded } from "../reference/embedded.ts";
import type { AlphaDecoration, BetaDecoration, ReferenceOptions } from "../reference/main.ts";
import type { SharedDecoration } from "../variants/variant.ts";
import type { Hosted } from "./hostile.ts";

/** Kinds of resource a run has to take away again, with the field of their id; runs, and what they leave, are history. */
const kept: Readonly<Record<PackageName, readonly (readonly [kind: string, id: string])[]>> = {
  "alpha.v1": [
    ["artifact", "id"],
    ["job", "id"],
    ["secret", "id"],
    ["webhook_endpoint", "id"],
  ],
  "beta.v1": [
    ["customer_user", "customerUserId"],
    ["secret", "secretId"],
    ["session", "sessionId"],
    ["webhook_endpoint", "webhookEndpointId"],
  ],
};

/** What a reference is watched for: credentials it gave out, and what is on it. */
function createWatcher() {
  const issued = new Set<string>();
  const seen = new Map<World, { readonly packageName: PackageName; readonly workspaces: Set<string> }>();

  function note({ world, row, workspaceId }: Context, reply: Reply): void {
    const known = seen.get(world) ?? { packageName: row.package, workspaces: new Set() };
    seen.set(world, known);
    known.workspaces.add(workspaceId);
    if (isStream(reply)) return;
    for (const { field } of row.plaintext) {
      const text = readField(reply, field.localName);
      if (typeof text === "string" && text !== "") issued.add(text);
    }
  }

  const idOf = (record: Message, field: string) => idText(readField(record, field) as { value: string } | undefined);

  return {
    note,
    issued: () => [...issued],
    left: () =>
      [...seen].flatMap(([{ tables }, { packageName, workspaces }]) =>
        kept[packageName].flatMap(([kind, id]) =>
          [...workspaces]
            .flatMap((workspace) => tables[kind]?.entries(workspace) ?? [])
            .filter(({ deleted }) => !deleted)
            .map(({ record }) => `${kind} ${idOf(record, id)}`),
        ),
      ),
  };
}

type Watcher = ReturnType<typeof createWatcher>;

/** A decoration whose pipeline tells the watcher what came of each call. */
function watched<D extends SharedDecoration>({ parts, ...decoration }: D, watcher: Watcher): D {
  const watching: SharedDecoration["parts"] = (standard) => {
    const changed = { ...standard, ...parts?.(standard) };
    return {
      ...parts?.(standard),
      pipeline: async (context, effect) => {
        const reply = await changed.pipeline(context, effect);
        watcher.note(context, reply);
        return reply;
      },
    };
  };
  return { ...decoration, parts: watching } as D;
}

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
    "alpha.v1": { ...server, decoration: watched(decoration, watcher) as AlphaDecoration },
    "beta.v1": { ...server, decoration: watched(decoration, watcher) as BetaDecoration },
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
