import type { RpcRow } from "../../../proto/rpcs.ts";
import type { Handler } from "../core/context.ts";
import { handlerOf, type Implementation } from "../core/rpc-router.ts";
import { artifactHandlers } from "./artifact.ts";
import { catalogHandlers } from "./catalog.ts";
import { fixtureHandlers } from "./fixture.ts";
import { jobHandlers } from "./job.ts";
import { secretHandlers } from "./secret.ts";
import { webhookHandlers } from "./webhook.ts";
import type { AlphaDecoration, AlphaWorld } from "./world.ts";

const implementations: readonly (readonly [RpcRow, Implementation<AlphaWorld>])[] = [
  ...artifactHandlers,
  ...catalogHandlers,
  ...fixtureHandlers,
  ...jobHandlers,
  ...secretHandlers,
  ...webhookHandlers,
];

/** The handlers of all alpha RPCs, with the decoration's around them. Throws on a decorated RPC that does not exist. */
export function alphaHandlers(decoration: AlphaDecoration): ReadonlyMap<RpcRow, Handler<AlphaWorld>> {
  const names = implementations.map(([row]) => row.name);
  const strange = Object.keys(decoration.handlers ?? {}).find((name) => !names.includes(name));
  if (strange !== undefined) throw new Error(`the decoration is of an RPC alpha.v1 does not have: ${strange}`);
  return new Map(
    implementations.map(([row, implementation]) => {
      const handler = handlerOf(row, implementation);
      return [row, decoration.handlers?.[row.name]?.(handler) ?? handler];
    }),
  );
}
