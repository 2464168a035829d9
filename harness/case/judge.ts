import type { JsonValue } from "@bufbuild/protobuf";
import type { Breach } from "./breach.ts";
import type { Finding } from "./result.ts";

/** What a judgement is entered into: the checks and findings of one case. */
export interface CheckLog {
  checks: number;
  readonly findings: Finding[];
}

/** Judgements on one reply. Each counts as a check, enters a finding where it fails, and says whether it held. */
export interface Judge {
  /** The call was served. */
  isServed(): boolean;
  /**
   * The call was refused, and, on a stream, sent no data. `reason` is what a reasonable reader expects; a detail with
   * another reason breaks `reasonClause`, a refusal without a detail does not.
   */
  isRefused(expectation?: {
    readonly because?: string;
    readonly reasons?: readonly string[];
    readonly reasonClause?: string;
  }): boolean;
  /** The served message shows this value at this path. Absent, default and null read alike. */
  shows(path: string, expected: JsonValue): boolean;
  /** An oracle found no breach; each it found is entered under its own clause. */
  keeps(breaches: readonly Breach[]): boolean;
  /** Any other condition; `actual` says what was seen instead. */
  satisfies(condition: boolean, expected: string, actual: string, at?: string): boolean;
}
