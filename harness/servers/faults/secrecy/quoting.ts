import type { JsonObject } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import { forRpc, type WireHooks } from "../../reference/core/decoration.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";

/** Ends its refusals of bodies it cannot parse with what stands in them, as parsers of common JSON libraries do. */
function quoting({ name }: RpcRow): WireHooks {
  const bodies = new WeakMap<object, string>();
  return {
    requestBytes: forRpc(name, (bytes: Uint8Array, call) => {
      bodies.set(call, Buffer.from(bytes).toString("latin1"));
      return bytes;
    }),
    error: forRpc(name, (error: JsonObject, call) =>
      /is not the JSON form/.test(String(error.message))
        ? { ...error, message: `${error.message}: ${bodies.get(call)}` }
        : error,
    ),
  };
}

export const quotingFaults: readonly Fault[] = faultsAt(
  ["alpha.v1.SecretService/CreateSecret", "beta.v1.CustomerSecretService/RotateSecret"].map(rpc),
  {
    id: "secrecy/quotes-unparsable-body",
    says: "quotes a body that it cannot parse in its refusal, with the secret in it",
    breaks: "*.secrets.quoted",
    decorate: quoting,
  },
);
