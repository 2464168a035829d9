import type { DescMethod } from "@bufbuild/protobuf";
import type { Handler } from "../core/context.ts";
import { around as aroundRpc, type HandlerOf } from "../core/decoration.ts";
import type { BetaWorld } from "./world.ts";

/** The core's `around` for beta RPCs: an entry for `handlers`, with `context.world` a `BetaWorld`. */
export function aroundBeta<M extends DescMethod>(
  method: M,
  wrap: (next: HandlerOf<M, BetaWorld>) => HandlerOf<M, BetaWorld>,
): Record<string, (next: Handler<BetaWorld>) => Handler<BetaWorld>> {
  return aroundRpc<M, BetaWorld>(method, wrap);
}
