import type { JsonObject } from "@bufbuild/protobuf";
import type { Call } from "../../reference/core/context.ts";
import { forRpc } from "../../reference/core/decoration.ts";
import { defineFault } from "../fault.ts";
import { textIn } from "../values.ts";

const secretOf = ({ request }: Call) => textIn(request, "secretId.value").toLowerCase();
const versionOf = ({ request }: Call) => textIn(request, "expectedResourceVersion");

/** To delete a secret gives it its last version. */
const next = (version: string) => String(BigInt(version) + 1n);

/** Versions that deleted secrets had last, by id. */
const versions = new Map<string, string>();

const rpc = "alpha.v1.SecretService/RotateSecret";

export const quotesForDeleted = defineFault({
  id: "secrecy/RotateSecret-quotes-value-for-deleted",
  says: "RotateSecret looks at the version first, and repeats the value it was sent where it finds the secret deleted",
  breaks: "*.secrets.write-only",
  rpc,
  decoration: {
    choices: { deleted: "tombstone" },
    reply: (json: JsonObject, call: Call) => {
      if (call.row.method === "DeleteSecret") versions.set(secretOf(call), next(versionOf(call)));
      const shown = json.secret as JsonObject | undefined;
      if (call.row.method !== "GetSecret" || shown?.deletedAt === undefined) return json;
      return { ...json, secret: { ...shown, resourceVersion: versions.get(secretOf(call)) ?? "1" } };
    },
    error: forRpc(rpc, (error: JsonObject, call) =>
      versions.get(secretOf(call)) === versionOf(call)
        ? { ...error, message: `the secret is deleted: ${textIn(call.request, "value")} was not stored` }
        : error,
    ),
  },
});
