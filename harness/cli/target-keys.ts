import { targetJsonSchema } from "../target/schema.ts";

/** A key of the target file, as the schema describes it. */
export interface TargetKey {
  /** `alpha.apiKeys.all`. */
  readonly path: string;
  readonly description: string;
  readonly kind: "text" | "number" | "boolean" | "list" | "mapping";
  /** What it is where the file does not say; undefined where it is then missing. */
  readonly default: unknown;
}

interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

const kinds: Readonly<Record<string, TargetKey["kind"]>> = {
  object: "mapping",
  array: "list",
  boolean: "boolean",
  integer: "number",
  number: "number",
};

function walk(node: SchemaNode, path: string): TargetKey[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const kind = kinds[child.type ?? ""] ?? "text";
    const key = { path: at, description: child.description ?? "", kind, default: child.default };
    return [key, ...walk(child, at)];
  });
}

/** Every key of the target file, in the schema's order. */
export function listTargetKeys(): readonly TargetKey[] {
  return walk(targetJsonSchema() as SchemaNode, "");
}
