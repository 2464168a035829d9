import { writeFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSecretRegistry } from "../secrets/registry.ts";
import type { Credential } from "../wire/request.ts";
import { terminalText } from "./terminal-text.ts";

/** Where printed text goes: standard output, standard error. */
export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** The way out of the process: whatever is printed or written passes here, and no credential that is guarded does. */
export interface Sink {
  /** Guards credentials from now on: their labels stand in their place. */
  guard(credentials: readonly Credential[]): void;
  /** The text without guarded credentials. */
  redact(text: string): string;
  /** Prints to standard output; colour sequences stay only where `colour` is wanted. */
  print(text: string, colour?: boolean): void;
  /** Prints to standard error. */
  printError(text: string, colour?: boolean): void;
  /** Shows a line in the place of the one before, on a terminal; an empty one takes it away. */
  printOver(line: string, colour: boolean): void;
  /** Writes a file that only its owner may read. Throws what Node throws where it cannot. */
  write(file: string, text: string): void;
  /** As `write`, and throws where the file is there already. */
  writeNew(file: string, text: string): void;
  /**
   * Writes files into a directory, which is made if need be, and returns their paths. Each appears whole or not at all: a
   * reader sees old files or new ones, never a part of one. Only their owner may read them.
   *
   * @param files the text of each, or what renders it: that is asked when it is to be written, and let go of then
   */
  writeAll(directory: string, files: Readonly<Record<string, string | (() => string)>>): Promise<readonly string[]>;
}

/** Only the owner may read: what a target answered is nobody else's. */
const mode = 0o600;

/** Writes what stands in place of a credential so that a file stays well-formed. */
const inMarkup = (mark: string) => mark.replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Takes the line away that the cursor stands in. */
const eraseLine = "\r\u001b[2K";

/**
 * Creates a sink that guards nothing yet.
 * @param shown how printed text is shown at last, where a terminal does not know every sign; files are written as they are
 */
export function createSink(streams: Streams, shown: (text: string) => string = (text) => text): Sink {
  const secrets = createSecretRegistry();
  const fileText = (name: string, text: string) =>
    secrets.redact(text, /\.(?:html|xml)$/.test(name) ? inMarkup : undefined);
  const sink: Sink = {
    guard(credentials) {
      for (const { token, label } of credentials) secrets.register(token, label, "credential");
    },
    redact: (text) => secrets.redact(text),
    print: (text, colour = false) => void streams.stdout.write(shown(terminalText(sink.redact(text), colour))),
    printError: (text, colour = false) => void streams.stderr.write(shown(terminalText(sink.redact(text), colour))),
    printOver: (line, colour) => void streams.stderr.write(eraseLine + shown(terminalText(sink.redact(line), colour))),
    write: (file, text) => writeFileSync(file, fileText(file, text), { mode }),
    writeNew: (file, text) => writeFileSync(file, fileText(file, text), { flag: "wx", mode }),
    async writeAll(directory, files) {
      await mkdir(directory, { recursive: true });
      const paths = Object.keys(files).map((name) => join(directory, name));
      const aside = (path: string) => `${path}.${process.pid}.tmp`;
      try {
        for (const [name, text] of Object.entries(files)) {
          const written = fileText(name, typeof text === "string" ? text : text());
          await writeFile(aside(join(directory, name)), written, { mode });
        }
        for (const path of paths) await rename(aside(path), path);
        return paths;
      } finally {
        for (const path of paths) await rm(aside(path), { force: true });
      }
    },
  };
  return sink;
}
