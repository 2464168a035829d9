import { randomBytes } from "node:crypto";
import type { TargetFile } from "../../target/schema.ts";
import { degenerateTargetFile } from "../degenerate/target-file.ts";
import type { Hosted } from "./hostile.ts";

/** A credential that stands nowhere else, with letters that encodings write otherwise. */
export function newCredential(): string {
  const part = () => randomBytes(15).toString("base64");
  return `hostile_${part()}/+~${part()}`;
}

/** A complete target file for a server that knows nothing of it, with credentials of its own and the usual patience. */
export function fileFor(origin: string): TargetFile {
  const { patience: _patience, limits: _limits, ...file } = degenerateTargetFile(origin);
  const text = JSON.stringify(file).replaceAll(/"hallmark-made-up-[^"]*"/g, () => JSON.stringify(newCredential()));
  return { ...(JSON.parse(text) as TargetFile), name: "a hostile target" };
}

/** The same target, known by little: what a command rehearses on that account is soon rehearsed. */
export function withLittleFile(hosted: Hosted): Hosted {
  const { name = "", alpha } = hosted.file;
  const { baseUrl, workspaceId, apiKeys } = alpha ?? {};
  return { ...hosted, file: { name, alpha: { baseUrl, workspaceId, apiKeys: { all: apiKeys?.all } } } };
}
