import type { JsonObject } from "@bufbuild/protobuf";
import { forRpc, type WireHooks } from "../../reference/core/decoration.ts";
import { defineFault, type Fault } from "../fault.ts";

/** Ends its refusals of bodies it cannot parse with what stands in them, as parsers of common JSON libraries do. */
function quoting(rpc: string): WireHooks {
  const bodies = new WeakMap<object, string>();
  return {
    requestBytes: forRpc(rpc, (bytes: Uint8Array, call) => {
      bodies.set(call, Buffer.from(bytes).toString("latin1"));
      return bytes;
    }),
    error: forRpc(rpc, (error: JsonObject, call) =>
      /is not the JSON form/.test(String(error.message))
        ? { ...error, message: `${error.message}: ${bodies.get(call)}` }
        : error,
    ),
  };
}

export const quotingFaults: readonly Fault[] = [
  "alpha.v1.SecretService/CreateSecret",
  "beta.v1.CustomerSecretService/RotateSecret",
].map((rpc) =>
  defineFault<string>({
    id: `secrecy/quotes-unparsable-body/${rpc}`,
    says: "quotes a body that it cannot parse in its refusal, with the secret in it",
    breaks: "*.secrets.quoted",
    rpc,
    decoration: quoting(rpc),
  }),
);
