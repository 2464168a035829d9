import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { editAt } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";

/** Has a refusal at the door name the requestId of the call before it, as one kept beside the call does. */
function keepingRequestIds(): WireHooks {
  const kept = new Map<string, JsonValue>();
  return {
    error(json, call) {
      const { requestId } = call.request;
      if (call.principal !== undefined) {
        if (requestId !== undefined) kept.set(call.origin, requestId);
        return json;
      }
      const last = kept.get(call.origin);
      if (last === undefined) return json;
      return editAt(json, "details[]", (detail) =>
        editAt(detail as JsonObject, "debug", (debug) => ({ ...(debug as JsonObject), requestId: last })),
      );
    },
  };
}

export const keptRequestIds: readonly Fault[] = faultsAt(
  ["alpha.v1.SecretService/DeleteSecret", "beta.v1.CustomerSecretService/DeleteSecret"].map(rpc),
  {
    id: "wire/refuses-under-the-request-id-of-another",
    says: "names the requestId of the call before in a refusal for its credential",
    breaks: "*.errors.request-id",
    decorate: keepingRequestIds,
  },
);
