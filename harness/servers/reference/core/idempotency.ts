import { createHash } from "node:crypto";
import { clone, type Message, toBinary } from "@bufbuild/protobuf";
import { type Context, isStream, type Memory, principalOf, type Reply, tenantKey } from "./context.ts";
import { readId } from "./fields.ts";
import { refuse } from "./refusal.ts";
import { isReading } from "./validate.ts";

/** Requests are remembered per RPC, for one credential or for its tenant. */
export function idempotencyKey(context: Context): string {
  const alone = context.world.choices.idempotencyAmong === "one credential";
  return `${alone ? principalOf(context).id : tenantKey(context.tenant)} ${context.row.name}`;
}

/** What a request asks for, as a digest: the memory holds no secret. */
function digestOf(context: Context): string {
  return createHash("sha256").update(toBinary(context.row.input, context.request)).digest("base64");
}

/**
 * Serves a request with a `requestId` once. The same request again gets the remembered reply, waiting for it while the
 * first is under way; another request under that id is a conflict. A failure is forgotten. Of a stream only the
 * request is remembered: it leaves no resource behind, so it may run again.
 */
export async function serveOnce(context: Context, effect: () => Reply | Promise<Reply>): Promise<Reply> {
  const { world, row, request } = context;
  const requestId = readId(request, row.requestId);
  const fresh = isReading(row) && !world.choices.remembersReads;
  if (requestId === undefined || fresh) return await effect();
  const by = principalOf(context).id;
  const key = `${world.parts.idempotencyKey(context)} ${requestId}`;
  const digest = digestOf(context);

  for (let memory = recall(context, key); memory !== undefined; memory = recall(context, key)) {
    if (memory.by !== by && world.choices.idempotencyAmong === "tenant, refusing others") {
      refuse("IDEMPOTENCY_CONFLICT", "this requestId was used by another credential");
    }
    if (memory.digest !== digest) {
      if (servesAsNew(context)) return await effect();
      refuse("IDEMPOTENCY_CONFLICT", "this requestId was used for another request");
    }
    if (world.choices.replay === "refuse") refuse("IDEMPOTENCY_CONFLICT", "this request was already served");
    if (memory.reply === undefined) break;
    const reply = await memory.reply.catch(() => undefined);
    if (reply !== undefined) return replayed(context, reply);
  }

  const until = world.clock.now() + world.choices.idempotencyLifetimeMs;
  if (row.stream) {
    const memory = { digest, by, until, reply: undefined };
    world.memories.set(key, memory);
    const reply = await forgettingFailure(context, key, memory, Promise.resolve(effect()));
    return isStream(reply) ? forgettingBrokenStream(context, key, memory, reply) : reply;
  }
  const served = (async () => (await effect()) as Message)();
  const memory = { digest, by, until, reply: served };
  world.memories.set(key, memory);
  const reply = await forgettingFailure(context, key, memory, served);
  return clone(row.output, reply);
}

/** A credential that is shown once is not issued again under the same `requestId`. */
function servesAsNew({ row, world }: Context): boolean {
  const shownOnce = row.plaintext.length > 0 && world.choices.replayPlaintext !== "repeat";
  return world.choices.idempotencyConflict === "serve as new" && !shownOnce;
}

function recall(context: Context, key: string): Memory | undefined {
  const memory = context.world.memories.get(key);
  if (memory === undefined || memory.until > context.world.clock.now()) return memory;
  context.world.memories.delete(key);
  return undefined;
}

function forget(context: Context, key: string, memory: Memory): void {
  if (context.world.memories.get(key) === memory) context.world.memories.delete(key);
}

async function forgettingFailure<T>(context: Context, key: string, memory: Memory, served: Promise<T>): Promise<T> {
  try {
    return await served;
  } catch (error) {
    forget(context, key, memory);
    throw error;
  }
}

async function* forgettingBrokenStream(
  context: Context,
  key: string,
  memory: Memory,
  messages: AsyncIterable<Message>,
): AsyncIterable<Message> {
  try {
    yield* messages;
  } catch (error) {
    forget(context, key, memory);
    throw error;
  }
}

/** The remembered reply, without its credentials where the choice says so. */
function replayed(context: Context, remembered: Message): Message {
  const { row, world } = context;
  if (world.choices.replayPlaintext === "refuse" && row.plaintext.length > 0) {
    refuse("IDEMPOTENCY_CONFLICT", "this request was already served, and its credential is not shown again");
  }
  const reply = clone(row.output, remembered);
  if (world.choices.replayPlaintext === "repeat") return reply;
  return Object.assign(reply, Object.fromEntries(row.plaintext.map((fact) => [fact.field.localName, ""])));
}
