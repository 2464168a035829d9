import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { parseTargetDocument } from "./document.ts";
import { type TargetFile, type TargetSettings, targetSchema } from "./schema.ts";
import { UsageError } from "./usage-error.ts";

export { UsageError };

/** Replaces `${NAME}` by the environment's value in every string of a document. */
function fillFromEnvironment(value: unknown, source: string, environment: NodeJS.ProcessEnv, at = ""): unknown {
  if (typeof value === "string") {
    const odd = /\$\{(?![A-Za-z_][A-Za-z0-9_]*\})[^}]*\}?/.exec(value);
    if (odd !== null) {
      throw new UsageError(`${source}: ${at} has a \${ that is no \${NAME}; defaults and the like are not supported.`);
    }
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const found = environment[name];
      if (found === undefined || found === "") {
        throw new UsageError(`${source}: ${at} takes \${${name}}, but that is not set in the environment; set it.`);
      }
      return found;
    });
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => fillFromEnvironment(item, source, environment, `${at}[${index}]`));
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        fillFromEnvironment(item, source, environment, at === "" ? key : `${at}.${key}`),
      ]),
    );
  }
  return value;
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? String(part) : `${text}.${String(part)}`,
    "",
  );
}

type LineOf = (path: readonly PropertyKey[]) => number | undefined;

/** The lines of a document's keys, where it is that of a file. */
function linesOf(source: string): LineOf {
  if (!existsSync(source)) return () => undefined;
  try {
    return parseTargetDocument(source, readText(source)).lineOf;
  } catch {
    return () => undefined;
  }
}

/** Names each wrong key and its cure, without repeating values: they may be credentials. */
function describeIssue(issue: z.core.$ZodIssue, lineOf: LineOf): string {
  const at = pathText(issue.path);
  const line = lineOf(issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : issue.path);
  const where = line === undefined ? "" : ` (line ${line})`;
  const place = at === "" ? "the file" : `"${at}"${where}`;
  if (issue.code === "unrecognized_keys") {
    const keys = issue.keys.map((key) => `"${at === "" ? key : `${at}.${key}`}"`).join(", ");
    return `${keys}${where} is no key of a target file; remove it or see docs/target-file.md for the keys there are`;
  }
  return `${place} ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`;
}

/**
 * Checks a target as given by a file or by flags.
 * @param source how the sentence names it: a file name or `--base-url`
 * @throws UsageError naming the key and the cure
 */
export function checkTarget(document: unknown, source: string, environment = process.env): TargetSettings {
  const parsed = targetSchema.safeParse(fillFromEnvironment(document, source, environment));
  if (!parsed.success) {
    const lineOf = linesOf(source);
    throw new UsageError(`${source}: ${parsed.error.issues.map((issue) => describeIssue(issue, lineOf)).join("; ")}.`);
  }
  return parsed.data;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file}: the target file cannot be read (${code}); check the path.`);
  }
}

/**
 * Reads a target file, YAML or JSON; `tls.caFile` is taken from the file's own folder.
 * @throws UsageError with one sentence on whatever is wrong
 */
export function readTargetFile(file: string): TargetFile {
  const { value } = parseTargetDocument(file, readText(file));
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(`${file}: a target file is a mapping of keys, this is not; see docs/target-file.md.`);
  }
  const target = value as TargetFile;
  if (typeof target.tls?.caFile === "string") {
    return { ...target, tls: { ...target.tls, caFile: resolve(dirname(file), target.tls.caFile) } };
  }
  return target;
}
