import { createHash } from "node:crypto";

/** A part of a run: one of `count`, from 1 on. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** A case on an RPC, by its names. */
export interface InstanceName {
  readonly id: string;
  readonly rpc: string;
}

/** Shards of a run at most: beyond, most would find nothing to do. */
const maxShards = 256;

/** Reads `2/5`; undefined where it is no shard. */
export function parseShard(text: string): Shard | undefined {
  const [, index, count] = (/^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []).map(Number);
  if (index === undefined || count === undefined || count > maxShards) return undefined;
  return index >= 1 && index <= count ? { index, count } : undefined;
}

/** How a shard is written: `2/5`. */
export function writeShard({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/** What an instance is called: `version/stale-is-refused · alpha.v1.SecretService/RotateSecret`. */
export function nameInstance({ id, rpc }: InstanceName): string {
  return `${id} · ${rpc}`;
}

/** As `nameInstance`, for whoever asks for the same names a thousand times over: each is made once. */
export function createNaming(): typeof nameInstance {
  const names = new Map<string, Map<string, string>>();
  return ({ id, rpc }) => {
    const ofCase = names.get(id) ?? new Map<string, string>();
    const name = ofCase.get(rpc) ?? nameInstance({ id, rpc });
    names.set(id, ofCase.set(rpc, name));
    return name;
  };
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/**
 * The shard an instance falls to, from 1 to `count`. It depends on nothing but its name: another case, a selection or
 * another order moves it nowhere.
 */
export function shardOf(name: InstanceName, count: number): number {
  // 48 bits: exact as a number, and their bias over a few hundred shards is nothing.
  return (digestOf(nameInstance(name)).readUIntBE(0, 6) % count) + 1;
}

/** SHA-256 of a plan, in hexadecimal: of the names of its instances, whatever their order. */
export function hashPlan(names: Iterable<InstanceName>): string {
  return digestOf([...names].map(nameInstance).sort().join("\n")).toString("hex");
}

/** SHA-256 of which keys a document has, in hexadecimal; what stands in them is left out. */
export function hashKeys(document: unknown): string {
  return digestOf(keysOf(document, "").sort().join("\n")).toString("hex");
}

function keysOf(part: unknown, path: string): string[] {
  if (typeof part !== "object" || part === null) return [path];
  return Object.entries(part).flatMap(([key, inner]) => keysOf(inner, `${path}/${key}`));
}
