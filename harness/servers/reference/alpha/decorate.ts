import type { DescMethod } from "@bufbuild/protobuf";
import type { Handler } from "../core/context.ts";
import { around as aroundRpc, type HandlerOf } from "../core/decoration.ts";
import type { AlphaWorld } from "./world.ts";

/** The core's `around` for alpha RPCs: an entry for `handlers`, with `context.world` an `AlphaWorld`. */
export function around<M extends DescMethod>(
  method: M,
  wrap: (next: HandlerOf<M, AlphaWorld>) => HandlerOf<M, AlphaWorld>,
): Record<string, (next: Handler<AlphaWorld>) => Handler<AlphaWorld>> {
  return aroundRpc<M, AlphaWorld>(method, wrap);
}
