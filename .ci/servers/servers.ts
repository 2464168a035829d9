import { join } from "node:path";

/** A command with its arguments, as it is started in a server's folder. */
export type Command = readonly [program: string, ...args: string[]];

/** A server that others wrote from the contract, with a `drive.py` that starts it and puts Hallmark to it. */
export interface ForeignServer {
  /** Its folder in `../shared/servers`. */
  readonly name: string;
  /** Programs it cannot be built or driven without. */
  readonly programs: readonly string[];
  /** What is to be done in a copy of its folder first; `bin` is a folder for programs, which stands first in PATH. */
  readonly prepare: (bin: string) => readonly Command[];
  /** Its drive with these flags of the server, which leaves `results.json` somewhere below `out`. */
  readonly drive: (flags: string, seed: number, out: string) => Command;
  /** Arguments of its drive for each way to describe it to Hallmark; CI takes the first. */
  readonly descriptions: readonly (readonly string[])[];
  /** Flags it is run with in CI: each combines choices that have nothing to do with one another. */
  readonly some: readonly string[];
  /** Every flag of its README by itself. */
  readonly all: readonly string[];
  /** Clauses of warnings that are right: what a reading calls a warning, and the server is open about. */
  readonly warned: readonly string[];
  /** What it breaks, by our reading, and the row or sentence that says so: the findings it is right to be failed for. */
  readonly broken: readonly Breach[];
}

/** A breach that a server is known for. */
export interface Breach {
  readonly clause: string;
  /** What the finding says was sent, a part of it. */
  readonly actual: RegExp;
  /** The sentence it breaks. */
  readonly sentence: string;
}

/** The servers, by name. Another is one more entry. */
export const foreignServers: readonly ForeignServer[] = [
  {
    name: "connect-go",
    programs: ["go", "python3"],
    // Its gen/ is written anew from its proto/, by the plugins of the versions in its go.mod.
    prepare: (bin) => [
      [
        "go",
        ...["build", "-o", join(bin, "/")],
        ...["google.golang.org/protobuf/cmd/protoc-gen-go", "connectrpc.com/connect/cmd/protoc-gen-connect-go"],
      ],
      ["sh", "generate.sh"],
    ],
    drive: (flags, seed, out) => ["python3", "drive.py", "--seed", String(seed), `--server=${flags}`, "--keep", out],
    descriptions: [[]],
    some: [
      "",
      [
        "-tls -emit-unpopulated -compress-min-bytes 512 -heartbeat 200ms -require-protocol-header -hard-delete",
        "-all-events -endpoint-optional -quiet-parse-errors -watch-for 500ms",
      ].join(" "),
    ],
    all: [
      ...[
        "",
        "-tls",
        "-emit-unpopulated",
        "-require-protocol-header",
        "-compress-min-bytes 512",
        "-rate 500",
        "-rate 100",
      ],
      ...["-max-jobs 8", "-hard-delete", "-heartbeat 200ms", "-watch-for 500ms", "-all-events", "-endpoint-optional"],
      ...["-quiet-parse-errors", "-delivery-slots 4", "-delivery-timeout 1s"],
    ],
    warned: ["alpha.secrets.quoted"],
    broken: [
      {
        clause: "alpha.errors.every-violation",
        actual: /each of .* listed name alone/,
        sentence: "Errors: fieldViolations lists each offending field; it refuses at the first",
      },
    ],
  },
  {
    name: "connect-python",
    programs: ["python3"],
    prepare: () => [["sh", "venv.sh"]],
    drive: (flags, seed, out) => ["python3", "drive.py", "--seed", String(seed), `--server=${flags}`, "--out", out],
    // With an origin for browser tokens in the target file, and with the one Hallmark makes up.
    descriptions: [[], ["--no-origin"]],
    some: ["", "--strict --known-fields --workers 32 --new-redelivery --required-filters --any-tools"],
    all: [
      ...["", "--strict", "--any-tools", "--stock-codec", "--new-redelivery", "--required-filters"],
      ...["--known-fields", "--workers 32"],
    ],
    // PJ-25: lenient base64 is a warning.
    warned: ["beta.secrets.quoted", "json.request.wrong-type-lenient"],
    broken: [
      {
        clause: "json.request.wrong-type",
        actual: /an enum is a value's name or number, not a bool|an enum's number is whole/,
        sentence: "PJ-21: an enum is a declared name or a number; a bool or a fraction is refused",
      },
      {
        clause: "json.request.wrong-type",
        actual: /page is .*, and a message is an object, not (?:an array|a string)/,
        sentence: "PJ-31: a nested message is an object; an array or scalar in its place is refused",
      },
    ],
  },
];
