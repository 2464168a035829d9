import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../../harness/case/call.ts";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { settingsOf } from "../../../harness/setup/beta/memory-settings.ts";
import { listAll } from "../../../harness/setup/listing.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { NotExercised } from "../../../harness/target/target.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { CredentialKind, Effect, rpc } from "../../../proto/rpcs.ts";

const listRow = rpc("beta.v1.MemoryService/ListMemoryItems");
const settingsRow = rpc("beta.v1.MemoryService/GetMemorySettings");

/** A user whose memory nothing in the case is about: how to ask for it, and an item that nobody deletes. */
interface Bystander {
  readonly who: string;
  readonly item: Subject;
  readonly named: JsonObject;
  readonly options: CallOptions;
  readonly clauses: Readonly<Record<"key" | "token", string>>;
}

async function bystanders(context: CaseContext): Promise<readonly Bystander[]> {
  const { row, setup } = context;
  const item = await setup.fresh("memory_item");
  const other: Bystander = {
    who: "another user",
    item,
    named: { ...setup.tenant(), ...item.within },
    options: {},
    clauses: { key: "*.isolation.named-user", token: "*.isolation.user-mutate" },
  };
  try {
    const foreign = await setup.ofOtherTenant("memory_item");
    const { key, tenant } = await setup.otherTenant(row);
    const { workspaceId = null, appId = null } = tenant;
    return [
      other,
      {
        who: "a user of another workspace or app",
        item: foreign,
        named: { workspaceId, appId, customerUserId: foreign.record.customerUserId ?? null, ...foreign.within },
        options: { as: key },
        clauses: { key: "*.isolation.mutate", token: "*.isolation.user-mutate" },
      },
    ];
  } catch (error) {
    if (!(error instanceof NotExercised)) throw error;
    return [other];
  }
}

/** What a bystander's memory holds: whether the item is there, unchanged, and whether memory is on. */
async function memoryOf(context: CaseContext, { item, named, options }: Bystander) {
  const { setup, call, needs } = context;
  const asked = () => ({ requestId: setup.requestId(), ...named });
  const { records, replies } = await listAll(context, listRow, asked(), options);
  for (const reply of replies) needs(reply);
  const settings = await call(settingsRow, asked(), options);
  needs(settings);
  const found = records.find((record) => sameJson(record.memoryItemId, item.id));
  return { found, enabled: recordIn(settings).enabled === true, last: settings };
}

/** A call that changes what a new user's memory is, by a kind of credential: to be made later. */
async function prepareChange(context: CaseContext, kind: CredentialKind): Promise<() => Promise<Reply>> {
  const { row, setup, call, needs } = context;
  const { within = {} } = await setup.fresh("memory_item");
  const user = { ...(await setup.shared("customer_user")), id: within.customerUserId ?? null };
  const settings = await settingsOf(context, user);
  const request = await setup.request(row, settings);
  // The memory of everybody else is on by then, and stays so.
  const off: JsonObject = row.input.fields.some(({ jsonName }) => jsonName === "enabled") ? { enabled: false } : {};
  const as = await setup.credentialOfKind(kind, row, settings);
  return async () => {
    const reply = await call(row, { ...request, ...off }, { as });
    needs(reply);
    return reply;
  };
}

/** How often others are set up anew, where a call of another case has changed them before they were looked at. */
const maxTries = 8;

type Others = readonly (readonly [one: Bystander, was: Awaited<ReturnType<typeof memoryOf>>])[];

/** Others, and their memory as it is right after they were set up. */
async function lookAtOthers(context: CaseContext): Promise<Others> {
  for (let tries = 1; ; tries += 1) {
    const others = await bystanders(context);
    const seen = await Promise.all(others.map(async (one) => [one, await memoryOf(context, one)] as const));
    if (tries === maxTries || seen.every(([, { found, enabled }]) => found !== undefined && enabled)) return seen;
  }
}

export const othersLeftAlone = defineRule({
  id: "lifecycle/memory-of-others-is-left-alone",
  says: "a change of a user's whole memory, by a key or by the user's own token, leaves that of other users, workspaces and apps as it is",
  clauses: ["*.isolation.named-user", "*.isolation.user-mutate", "*.isolation.mutate"],
  rows: (row) => row.subject === "memory_settings" && row.effect === Effect.UPDATE,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { judge } = context;
    for (const by of ["key", "token"] as const) {
      const kind = by === "key" ? CredentialKind.BACKEND_KEY : CredentialKind.BROWSER_TOKEN;
      const change = await prepareChange(context, kind);
      const others = await lookAtOthers(context);
      const changed = await change();
      for (const [other, was] of others) {
        const now = await memoryOf(context, other);
        // Nobody deletes the item: that it is gone is a breach whichever call did it.
        judge(changed, other.clauses[by], [now.last]).satisfies(
          now.found !== undefined && now.enabled === was.enabled,
          `${showJson(other.item.id)} of ${other.who} still there, and memory ${was.enabled ? "on" : "off"}`,
          `${now.found === undefined ? "it is gone" : "it is there"}, and memory is ${now.enabled ? "on" : "off"}`,
        );
      }
    }
  },
});
