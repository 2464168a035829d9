import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./tool.ts";

/** Demands that the protobuf files pass the linter. Throws an Error of one sentence, its evidence below. */
export function lintProtobuf(): void {
  run("buf", ["lint"], "The protobuf files do not pass buf lint.");
}

/** Writes the protobuf files in their one form. Throws an Error where buf cannot read them. */
export function formatProtobuf(): void {
  run("buf", ["format", "--write", "proto"], "buf format failed.");
}

/** Demands that the protobuf files are in their one form. Throws an Error of one sentence, its evidence below. */
export function checkProtobufFormat(): void {
  run(
    "buf",
    ["format", "--diff", "--exit-code", "proto"],
    "The protobuf files are not formatted: run npm run generate.",
  );
}

/** What the protobuf files generate: path from the root → text. Throws an Error where buf fails. */
export function generateProtobuf(): ReadonlyMap<string, string> {
  const scratch = mkdtempSync(join(tmpdir(), "generated-"));
  try {
    run("buf", ["generate", "--output", scratch], "buf generate failed.");
    const entries = readdirSync(join(scratch, "proto"), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return new Map(files.map((file) => [file.slice(scratch.length + 1), readFileSync(file, "utf8")]));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
