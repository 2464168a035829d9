import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import type { BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { requestIdOf } from "../idempotency/replays.ts";
import { faultsOf } from "../table.ts";

/** A request that names no user is about the one that was named first, whoever's token comes with it. */
function aboutTheFirstNamed({ name }: RpcRow): BetaDecoration {
  let first: JsonValue | undefined;
  const unnamed = new Set<string>();
  return {
    request(json: JsonObject, { row }) {
      if (row.name !== name) return json;
      first ??= json.customerUserId;
      if (json.customerUserId !== undefined || first === undefined) return json;
      unnamed.add(String((json.requestId as JsonObject | undefined)?.value));
      return { ...json, customerUserId: first };
    },
    parts: (parts) => ({
      authorizeUser: onRpc(name, parts.authorizeUser, (context) => {
        if (!unnamed.has(requestIdOf(context))) parts.authorizeUser(context);
      }),
    }),
  };
}

export const unnamedUser: readonly Fault[] = faultsOf("isolation", "beta.v1", {
  "*.isolation.user-list": {
    "ListJobs-without-a-user-shows-anothers": ["shows another user's records where none is named", aboutTheFirstNamed],
    "ListSecrets-without-a-user-shows-anothers": [
      "shows another user's records where none is named",
      aboutTheFirstNamed,
    ],
  },
});
