import { create } from "@bufbuild/protobuf";
import { type UUIDv7, UUIDv7Schema } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import {
  type Implementations,
  implement as implementService,
  type MethodFacts,
  type ServiceHandlers,
} from "../core/implement.ts";
import type { AlphaWorld } from "./world.ts";

/** A UUID message. */
export function uuid(value: string): UUIDv7 {
  return create(UUIDv7Schema, { value });
}

/** The core's `implement` for services of alpha.v1. */
export function implement<Methods extends Readonly<Record<string, MethodFacts>>>(
  service: { readonly method: Methods },
  handlers: ServiceHandlers<Methods, AlphaWorld>,
): Implementations<AlphaWorld> {
  return implementService<Methods, AlphaWorld>(service, handlers);
}
