import type { JsonObject } from "@bufbuild/protobuf";
import { Effect, type RpcRow, rpc as rowOf, rpcs } from "../../../../proto/rpcs.ts";
import { forRpc, onRpc } from "../../reference/core/decoration.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { expectedVersionOf, versionOf } from "../../reference/core/subject.ts";
import type { BetaContext, BetaDecoration } from "../../reference/main.ts";
import { editAt } from "../edit.ts";
import { defineBetaFault, defineSharedFault, type Fault } from "../fault.ts";
import { actingBeforeRefusing } from "./version.ts";

const rows = rpcs.filter((row) => row.package === "beta.v1");

/** Refuses a mismatch for another reason. */
const mismatching = (row: RpcRow): BetaDecoration => ({
  parts: (parts) => ({
    checkVersion: onRpc(row.name, parts.checkVersion, (context: BetaContext) => {
      const { subject } = context;
      if (subject !== undefined && expectedVersionOf(context) !== versionOf(subject))
        refuse("RESOURCE_NOT_FOUND", "no such thing");
    }),
  }),
});

export const reasonFaults: readonly Fault[] = ["RotateSecret", "DeleteAllMemory", "DeleteSession"].map((method) => {
  const row = rows.find((one) => one.method === method) ?? rowOf("beta.v1.RunService/CancelRun");
  return defineBetaFault({
    id: `version/beta-${method}-wrong-reason`,
    says: `${method} refuses a version mismatch for another reason`,
    breaks: "beta.versioning.reason",
    rpc: row.name,
    decoration: mismatching(row),
  });
});

const stored = new Set(["secret", "session", "customer_user", "memory_settings", "webhook_endpoint"]);

/** Reading counts as a change. */
export const movingReads: readonly Fault[] = rows
  .filter((row) => row.effect === Effect.READ && row.record !== undefined && stored.has(row.subject))
  .map((row) =>
    defineBetaFault({
      id: `version/beta-${row.method}-moves-version`,
      says: `${row.method} changes the version it reads`,
      breaks: "beta.versioning.reads-keep",
      rpc: row.name,
      decoration: (() => {
        let read = 0n;
        const path = `${row.record?.name}.resourceVersion`;
        return {
          reply: forRpc(row.name, (json: JsonObject) => {
            read += 1n;
            return editAt(json, path, (version) => String(BigInt(String(version)) + read));
          }),
        };
      })(),
    }),
  );

/** The reply of a mutation carries no version. */
export const missingVersions: readonly Fault[] = rows
  .filter((row) => row.effect === Effect.UPDATE && row.record !== undefined && stored.has(row.subject))
  .map((row) =>
    defineBetaFault({
      id: `version/beta-${row.method}-reply-without-version`,
      says: `the reply of ${row.method} carries no version`,
      breaks: "beta.versioning.carried",
      rpc: row.name,
      decoration: {
        reply: forRpc(row.name, (json: JsonObject) =>
          editAt(json, `${row.record?.name}.resourceVersion`, () => undefined),
        ),
      },
    }),
  );

/** A stale call is refused only once it has taken effect. */
export const lateChecks: readonly Fault[] = ["DeleteMemoryItem", "UpdateMemorySettings", "RevokeCustomerUserGrant"].map(
  (method) =>
    defineSharedFault({
      id: `version/beta-${method}-acts-before-it-refuses`,
      says: `${method} refuses a stale version after it has acted`,
      breaks: "beta.versioning.expected",
      rpc: rows.find((row) => row.method === method)?.name ?? "",
      decoration: actingBeforeRefusing(method),
    }),
);

/** Protocol version 1 is refused. */
export const refusedProtocols: readonly Fault[] = ["SessionService/ListSessions", "RunService/WatchRun"].map((name) =>
  defineBetaFault({
    id: `transport/beta-${name.split("/")[1]}-refuses-version-1`,
    says: `${name} refuses requests of protocol version 1`,
    breaks: "beta.versioning.header",
    rpc: `beta.v1.${name}`,
    decoration: {
      raw(request, response, next) {
        const refused = request.url === `/beta.v1.${name}` && request.headers["connect-protocol-version"] === "1";
        if (!refused) return next();
        response.writeHead(400, { "content-type": "application/json" });
        response.end('{"code":"invalid_argument","message":"protocol version"}');
      },
    },
  }),
);
