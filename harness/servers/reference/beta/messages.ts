import { create, type JsonValue } from "@bufbuild/protobuf";
import {
  type EncodedPayload,
  EncodedPayloadSchema,
  PayloadEncoding,
  type UUIDv7,
  UUIDv7Schema,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import type { Tenant } from "../core/context.ts";
import { sha256 } from "../core/digest.ts";
import {
  type Implementations,
  implement as implementService,
  type MethodFacts,
  type ServiceHandlers,
} from "../core/implement.ts";
import type { BetaWorld } from "./world.ts";

/** A UUID message. */
export function uuid(value: string): UUIDv7 {
  return create(UUIDv7Schema, { value });
}

/** The fields by which most records name their owner. */
export function ownerFields({ workspaceId, appId, customerUserId }: Tenant) {
  return { workspaceId: uuid(workspaceId), appId: uuid(appId), customerUserId: uuid(customerUserId) };
}

/** A JSON payload; `schema` is the JSON Schema it follows. */
export function jsonPayload(value: JsonValue, schema: JsonValue): EncodedPayload {
  return create(EncodedPayloadSchema, {
    encoding: PayloadEncoding.JSON,
    value: Buffer.from(JSON.stringify(value)),
    schemaSha256: sha256(Buffer.from(JSON.stringify(schema))),
  });
}

/** The core's `implement` for services of beta.v1. */
export function implement<Methods extends Readonly<Record<string, MethodFacts>>>(
  service: { readonly method: Methods },
  handlers: ServiceHandlers<Methods, BetaWorld>,
): Implementations<BetaWorld> {
  return implementService<Methods, BetaWorld>(service, handlers);
}
