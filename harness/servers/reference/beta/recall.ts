import { create } from "@bufbuild/protobuf";
import { MemoryItemSchema, type Run } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { tenantKey } from "../core/context.ts";
import { idText } from "../core/fields.ts";
import { lifeOf } from "./life.ts";
import { uuid } from "./messages.ts";
import { type BetaWorld, ownerOf } from "./world.ts";

/** Keeps in mind what a run heard: an item of its own, and the newest request. Nothing while the user's memory is off. */
export function remember(world: BetaWorld, run: Run): void {
  const life = lifeOf(world, run);
  if (!world.tables.memory_settings.get(idText(run.customerUserId)).enabled) {
    life.memoryWarning = world.choices.memoryWarnings;
    return;
  }
  const { length } = [...life.input];
  store(world, run, `note-${idText(run.runId).slice(-12)}`, { length, words: life.input.split(/\s+/).length });
  store(world, run, "latest-request", { length, at: new Date(world.clock.now()).toISOString() });
}

function store(world: BetaWorld, run: Run, key: string, value: object): void {
  const items = world.tables.memory_item;
  const valueJson = Buffer.from(JSON.stringify(value));
  const { sessionId } = run;
  const known = items.entries(tenantKey(ownerOf(run))).find(({ record }) => record.key === key)?.record;
  if (known === undefined) {
    const { workspaceId, appId, customerUserId } = run;
    items.add(
      create(MemoryItemSchema, {
        memoryItemId: uuid(world.newId()),
        workspaceId,
        appId,
        customerUserId,
        key,
        valueJson,
        sourceSessionIds: sessionId === undefined ? [] : [sessionId],
      }),
    );
    return;
  }
  const others = known.sourceSessionIds.filter((id) => idText(id) !== idText(sessionId));
  const sourceSessionIds = sessionId === undefined ? others : [...others, sessionId];
  items.change(idText(known.memoryItemId), { valueJson, sourceSessionIds });
}
