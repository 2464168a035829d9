import type { Message } from "@bufbuild/protobuf";
import { Change, Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { readField } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { expectedVersionOf, versionOf } from "../../reference/core/subject.ts";
import type { AlphaWorld } from "../../reference/main.ts";
import { clauseFor, defineFault, defineSharedFault, type Fault, prefixOf, type SharedDecoration } from "../fault.ts";

type AlphaContext = Context<AlphaWorld>;

export const conditional: readonly RpcRow[] = rpcs.filter((row) => row.expectedVersion !== undefined);

/** Compares versions at one RPC in a way of its own. */
export function comparing(
  row: RpcRow,
  equal: (expected: bigint, current: bigint) => boolean,
  more: SharedDecoration = {},
): SharedDecoration {
  return {
    ...more,
    parts: (parts) => ({
      checkVersion: onRpc(row.name, parts.checkVersion, (context: Context) => {
        const [expected, { subject }] = [expectedVersionOf(context), context];
        if (expected === undefined || subject === undefined || equal(expected, versionOf(subject))) return;
        refuse("RESOURCE_VERSION_CONFLICT", "the resource is not at the expected version");
      }),
    }),
  };
}

/** Mutates, and leaves the record at the version it had. */
export function keepingVersion(row: RpcRow): SharedDecoration {
  return {
    handlers: {
      [row.name]: (next) => async (context, request) => {
        const before = context.subject;
        const reply = (await next(context, request)) as Message;
        const record = readField(reply, row.record?.field.localName ?? "") as Message | undefined;
        if (record === undefined || before === undefined) return reply;
        Object.assign(record, { resourceVersion: versionOf(before) });
        context.world.tables[row.subject]?.put(record);
        return reply;
      },
    },
  };
}

/** Acts although it refuses. */
export function actingBeforeRefusing(method: string): SharedDecoration {
  return {
    parts: (parts) => ({
      async pipeline(context, effect) {
        try {
          return await parts.pipeline(context, effect);
        } catch (refusal) {
          if (context.row.method === method && context.subject !== undefined) await effect();
          throw refusal;
        }
      },
    }),
  };
}

type Comparison = readonly [id: string, says: string, decorate: (row: RpcRow) => SharedDecoration];

export const comparisons: readonly Comparison[] = [
  ["ignores-version", "ignores the expected version", (row) => comparing(row, () => true)],
  [
    "low-32-bits",
    "compares the low 32 bits of versions",
    (row) => comparing(row, (a, b) => BigInt.asUintN(32, a) === BigInt.asUintN(32, b)),
  ],
  ["future-allowed", "refuses older versions only", (row) => comparing(row, (a, b) => a >= b)],
  [
    "past-allowed",
    "refuses newer versions only",
    (row) => comparing(row, (a, b) => a <= b && a > 0n, { choices: { versionStart: 5n } }),
  ],
  ["without-sign", "compares versions without their sign", (row) => comparing(row, (a, b) => (a < 0n ? -a : a) === b)],
  [
    "as-doubles",
    "compares versions as doubles, on a service whose versions are large",
    (row) =>
      comparing(row, (a, b) => Number(a) === Number(b), { choices: { versionStart: 2n ** 53n + 4n, versionStep: 4n } }),
  ],
];

/** Every conditional row gets two ways to compare wrongly. */
export const comparisonFaults: readonly Fault[] = conditional.flatMap((row, index) =>
  [0, 3].map((offset) => {
    // Versions of beta.v1 have no sign.
    const fitting = comparisons.filter(([id]) => row.package === "alpha.v1" || id !== "without-sign");
    const [id, says, decorate] = fitting[(index + offset) % fitting.length] ?? [];
    if (id === undefined || says === undefined || decorate === undefined) throw new Error("no comparisons");
    return defineSharedFault({
      id: `version/${prefixOf(row)}${row.service}-${row.method}-${id}`,
      says: `${row.method} ${says}`,
      breaks: clauseFor(row, "versioning.expected"),
      rpc: row.name,
      decoration: decorate(row),
    });
  }),
);

/** The check and the effect with something in between: a race. */
export const raceFaults: readonly Fault[] = conditional
  .filter((row) => row.effect === Effect.UPDATE && row.change !== Change.CANCELS)
  // What was uploaded is checked behind the reply, as it is: the race is another.
  .filter((row) => row.change !== Change.COMPLETES || row.resource === undefined)
  .map((row) =>
    defineSharedFault({
      id: `version/${prefixOf(row)}${row.service}-${row.method}-checks-too-early`,
      says: `${row.method} checks the version some time before it acts`,
      breaks: clauseFor(row, "versioning.one-winner"),
      rpc: row.name,
      decoration: {
        handlers: {
          [row.name]: (next) => async (context, request) => {
            await new Promise((resolve) => setTimeout(resolve, 20));
            return next(context, request);
          },
        },
      },
    }),
  );

/** Where the version stands, the one before the change is taken, and two records differ at one version. */
export const standsStill: readonly string[] = ["versioning.expected", "records.agree"];

export const otherVersionFaults: readonly Fault[] = [
  ...conditional
    .filter(
      (row) =>
        row.effect === Effect.UPDATE &&
        ["secret", "webhook_endpoint", "artifact", "customer_user", "memory_item"].includes(row.subject),
    )
    .map((row) =>
      defineSharedFault({
        id: `version/${prefixOf(row)}${row.service}-${row.method}-does-not-advance`,
        says: `${row.method} leaves the version as it was`,
        breaks: clauseFor(row, "versioning.advances"),
        entails: standsStill.map((one) => clauseFor(row, one)),
        rpc: row.name,
        decoration: keepingVersion(row),
      }),
    ),
  defineFault({
    id: "version/RotateSecret-wrong-reason",
    says: "refuses a version mismatch for another reason",
    breaks: "alpha.versioning.reason",
    rpc: "alpha.v1.SecretService/RotateSecret",
    decoration: {
      parts: (parts) => ({
        checkVersion: onRpc("alpha.v1.SecretService/RotateSecret", parts.checkVersion, (context: AlphaContext) => {
          const { subject } = context;
          if (subject !== undefined && expectedVersionOf(context) !== versionOf(subject))
            refuse("RESOURCE_NOT_FOUND", "no such secret");
        }),
      }),
    },
  }),
  defineFault({
    id: "version/GetWebhookEndpoint-moves-version",
    says: "reading an endpoint changes its version",
    breaks: "alpha.versioning.reads-keep",
    rpc: "alpha.v1.WebhookService/GetWebhookEndpoint",
    decoration: {
      handlers: {
        "alpha.v1.WebhookService/GetWebhookEndpoint": (next) => async (context, request) => {
          const reply = await next(context, request);
          const { endpoint } = reply as unknown as { endpoint: { id: { value: string } } };
          context.world.tables.webhook_endpoint.change(endpoint.id.value, {});
          return reply;
        },
      },
    },
  }),
  defineFault({
    id: "version/UpdateWebhookEndpoint-reply-without-version",
    says: "the reply of an update carries no version",
    breaks: "alpha.versioning.carried",
    rpc: "alpha.v1.WebhookService/UpdateWebhookEndpoint",
    decoration: {
      reply: (json, call) => {
        if (call.rpc !== "alpha.v1.WebhookService/UpdateWebhookEndpoint") return json;
        const { resourceVersion: _dropped, ...endpoint } = json.endpoint as Record<string, string>;
        return { endpoint };
      },
    },
  }),
  defineSharedFault({
    id: "version/DeleteSecret-acts-before-it-refuses",
    says: "refuses a stale deletion after having deleted",
    breaks: "alpha.versioning.expected",
    rpc: "alpha.v1.SecretService/DeleteSecret",
    decoration: actingBeforeRefusing("DeleteSecret"),
  }),
];
