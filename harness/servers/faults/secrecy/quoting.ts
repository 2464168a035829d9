import type { JsonObject, Message } from "@bufbuild/protobuf";
import { Effect, type RpcRow, rpc, rpcs } from "../../../../proto/rpcs.ts";
import { forRpc, type WireHooks } from "../../reference/core/decoration.ts";
import { readField } from "../../reference/core/fields.ts";
import { refuseFields } from "../../reference/core/refusal.ts";
import type { Fault } from "../fault.ts";
import { replacing, wrapping } from "../steps.ts";
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

/** Refuses a secret of more bytes, and quotes some with which it begins. */
const quotingLong = (takenBytes: number, quotedBytes: number) => (row: RpcRow) =>
  wrapping((next) => (context, request) => {
    const [secret] = row.writeOnly;
    const value = Buffer.from(readField(request as Message, secret?.field.localName ?? "") as Uint8Array);
    if (value.length <= takenBytes) return next(context, request);
    return refuseFields({ field: secret?.name ?? "", description: `is too long: ${value.subarray(0, quotedBytes)}…` });
  })(row);

const storing = rpcs.filter(({ writeOnly }) => writeOnly.length > 0);

export const quotingLongFaults: readonly Fault[] = [
  ...faultsAt(storing, {
    id: "secrecy/quotes-long-secrets",
    says: "quotes how a secret begins that is too long for it",
    breaks: "*.secrets.write-only",
    decorate: quotingLong(1024, 48),
  }),
  ...faultsAt(storing, {
    id: "secrecy/quotes-very-long-secrets",
    says: "quotes how a secret of more than 64 KiB begins",
    breaks: "*.secrets.write-only",
    decorate: quotingLong(2 ** 16, 24),
  }),
];

/** Refuses a name of more than 512 characters, and shows the request it was in: bytes of it in hex. */
const quotingBeside = replacing(({ validate }) => ({
  validate(context) {
    const { row, request } = context;
    const { name = "" } = request as Message & { readonly name?: string };
    const value = readField(request, row.writeOnly[0]?.field.localName ?? "") as Uint8Array;
    if (name.length > 512) {
      const quoted = Buffer.from(value).toString("hex");
      refuseFields({ field: "name", description: `is too long in {value: ${quoted}}` });
    }
    validate(context);
  },
}));

export const quotingBesideFaults: readonly Fault[] = faultsAt(
  storing.filter(({ effect }) => effect === Effect.CREATE),
  {
    id: "secrecy/quotes-secrets-with-long-names",
    says: "refuses a name that is too long for it, and quotes the request with the secret in hex",
    breaks: "*.secrets.write-only",
    decorate: quotingBeside,
  },
);

export const quotingFaults: readonly Fault[] = faultsAt(
  ["alpha.v1.SecretService/CreateSecret", "beta.v1.CustomerSecretService/RotateSecret"].map(rpc),
  {
    id: "secrecy/quotes-unparsable-body",
    says: "quotes a body that it cannot parse in its refusal, with the secret in it",
    breaks: "*.secrets.quoted",
    decorate: quoting,
  },
);
