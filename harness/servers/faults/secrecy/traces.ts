import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import { inObject } from "../edit.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Records of secrets with something beside that comes of the value they were made with. */
const tracing =
  (path: string, trace: (value: Buffer) => JsonObject) =>
  (row: RpcRow): EitherDecoration => {
    const values = new Map<JsonValue, Buffer>();
    const shown = inObject(path, (secret) => {
      const value = values.get(secret.name ?? "");
      return value === undefined ? secret : { ...secret, ...trace(value) };
    });
    return {
      request(json, { row: { subject } }) {
        const value = json.value ?? json.plaintextValue;
        if (subject === "secret" && json.name !== undefined && typeof value === "string")
          values.set(json.name, Buffer.from(value, "base64"));
        return json;
      },
      ...shown(row),
    };
  };

const sha256 = (value: Buffer) => createHash("sha256").update(value);
const masked = { value: "********" };

/** What both services that take secrets may tell of a value, not showing it. */
const ofBoth = {
  "*.secrets.no-value": {
    "GetSecret-masked-value": [
      "shows a value that is masked",
      inObject("secret", (secret) => ({ ...secret, ...masked })),
    ],
    "ListSecrets-masked-values": [
      "shows values that are masked",
      inObject("secrets[]", (secret) => ({ ...secret, ...masked })),
    ],
    "CreateSecret-masked-plaintext": [
      "repeats the value, masked, by the name it was sent under",
      inObject("secret", (secret) => ({ ...secret, plaintextValue: "…" })),
    ],
  },
  "*.secrets.traces": {
    "GetSecret-prefix": [
      "shows how a value begins",
      tracing("secret", (value) => ({ hint: `${value.toString("latin1", 0, 6)}…` })),
    ],
    "GetSecret-last-four": [
      "shows the last four characters of a value",
      tracing("secret", (value) => ({ hint: `****${value.subarray(-4).toString("latin1")}` })),
    ],
    "ListSecrets-first-four": [
      "shows the first four characters of values",
      tracing("secrets[]", (value) => ({ preview: `${value.toString("latin1", 0, 4)}...` })),
    ],
    "ListSecrets-suffix": [
      "shows how values end",
      tracing("secrets[]", (value) => ({ hint: `…${value.subarray(-8).toString("latin1")}` })),
    ],
    "CreateSecret-length": ["shows how long a value is", tracing("secret", (value) => ({ size: value.length }))],
    "GetSecret-digest": [
      "shows the digest of a value",
      tracing("secret", (value) => ({ fingerprint: sha256(value).digest("hex") })),
    ],
    "RotateSecret-short-digest": [
      "shows the beginning of a digest in base64",
      tracing("secret", (value) => ({ fingerprint: sha256(value).digest("base64").slice(0, 16) })),
    ],
  },
} as const;

export const traceFaults: readonly Fault[] = [
  ...faultsOf("secrecy", "alpha.v1", ofBoth),
  ...faultsOf("secrecy", "beta.v1", ofBoth),
];

/** The browser token that each run was started with, in what is shown of the run. */
const startedWith = (
  put: (json: JsonObject, tokenOf: (runId: JsonValue | undefined) => string | undefined) => JsonObject,
) => {
  const tokens = new Map<string, string>();
  const keyOf = (id: JsonValue | undefined) => JSON.stringify(id ?? null);
  return (row: RpcRow): EitherDecoration => ({
    reply(json, call) {
      const run = json.run as JsonObject | undefined;
      const sent = call.headers.authorization?.replace(/^Bearer /, "") ?? "";
      if (call.row.method === "CreateRun" && sent.includes("_bt_")) tokens.set(keyOf(run?.runId), sent);
      return call.rpc === row.name ? put(json, (id) => tokens.get(keyOf(id))) : json;
    },
  });
};

/** What shows a credential that a run was started with. */
export const starterFaults: readonly Fault[] = faultsOf("secrecy", "beta.v1", {
  "*.credentials.elsewhere": {
    "GetRun-correlates-by-the-token": [
      "gives the browser token of the caller as the correlation id of the run's error",
      startedWith((json, tokenOf) => {
        const run = json.run as JsonObject | undefined;
        const token = tokenOf(run?.runId);
        if (run?.error === undefined || token === undefined) return json;
        return { ...json, run: { ...run, error: { ...(run.error as JsonObject), correlationId: token } } };
      }),
    ],
    "ListApprovals-trusts-the-token": [
      "shows the browser token of the run's starter among the trusted headers",
      startedWith((json, tokenOf) => ({
        ...json,
        approvals: ((json.approvals ?? []) as JsonObject[]).map((approval) => {
          const token = tokenOf(approval.runId);
          if (token === undefined) return approval;
          const trusted = { ...(approval.trustedUserHeaders as JsonObject), authorization: `Bearer ${token}` };
          return { ...approval, trustedUserHeaders: trusted };
        }),
      })),
    ],
  },
});
