import { create } from "@bufbuild/protobuf";
import { MemoryItemSchema, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { aroundBeta } from "../../reference/beta/decorate.ts";
import { isTerminal } from "../../reference/beta/life.ts";
import { uuid } from "../../reference/beta/messages.ts";
import { moveRun } from "../../reference/beta/progress.ts";
import { ownerOf } from "../../reference/beta/world.ts";
import { inBackground } from "../../reference/core/background.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** Runs that a server keeps on a shorter rein, or lets go on longer, than the reference does. */
export const strictRunVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "one-run-of-a-session-at-once",
    says: "starts no run in a session in which another goes on",
    open: ["beta.open.limits"],
    decoration: {
      handlers: aroundBeta(RunService.method.createRun, (next) => (context, request) => {
        const { tables } = context.world;
        const busy = tables.run
          .entries(tenantKey(context.tenant))
          .some(({ record }) => idText(record.sessionId) === idText(request.sessionId) && !isTerminal(record));
        if (busy) refuse("CONCURRENCY_EXHAUSTED", "a run of this session goes on", { retryAfterSeconds: 0 });
        return next(context, request);
      }),
    },
  }),
  defineBetaVariant({
    id: "one-memory-item",
    says: "keeps what runs leave to remember under one key",
    open: ["beta.open.apps"],
    permits: ["not-exercised"],
    decoration: {
      parts: () => ({
        remember(world, run) {
          if (!world.tables.memory_settings.get(idText(run.customerUserId)).enabled) return;
          const items = world.tables.memory_item;
          const [known] = items.entries(tenantKey(ownerOf(run)));
          const valueJson = Buffer.from(JSON.stringify({ run: idText(run.runId) }));
          const sourceSessionIds = run.sessionId === undefined ? [] : [run.sessionId];
          if (known !== undefined) {
            items.change(idText(known.record.memoryItemId), { valueJson, sourceSessionIds });
            return;
          }
          const { workspaceId, appId, customerUserId } = run;
          const memoryItemId = uuid(world.newId());
          const item = { memoryItemId, workspaceId, appId, customerUserId, key: "latest", valueJson, sourceSessionIds };
          items.add(create(MemoryItemSchema, item));
        },
      }),
    },
  }),
  defineBetaVariant({
    id: "cancellation-that-comes-too-late",
    says: "accepts the cancellation of a run that is then seen running again, and succeeds",
    open: ["beta.open.transitions"],
    decoration: {
      handlers: aroundBeta(RunService.method.cancelRun, (next) => async (context, request) => {
        const reply = await next(context, request);
        const { world } = context;
        const id = idText(request.runId);
        const resume = async () => {
          for (const state of [RunState.RUNNING, RunState.SUCCEEDED]) {
            await world.clock.pause(20);
            const now = world.tables.run.find(id)?.record;
            if (world.closing.aborted || now === undefined || isTerminal(now)) return;
            moveRun(world, id, { state });
          }
        };
        inBackground(resume());
        return reply;
      }),
      choices: { runStageMs: [80, 90] },
    },
  }),
];
