import type { JsonObject } from "@bufbuild/protobuf";
import type { MalformedLevel } from "./invalid-value.ts";

/** A request body that is not one JSON object. */
export interface MalformedBody {
  /** Stable kebab-case id. */
  readonly name: string;
  readonly body: Uint8Array;
  readonly why: string;
  readonly level: MalformedLevel;
  /** Row of the protocol sheet it rests on. */
  readonly row: string;
  /** Not for streams: some runtimes read an empty envelope as the empty message (sheet CP-S-30). */
  readonly unaryOnly: boolean;
}

/**
 * Bodies that are not one JSON object, in a fixed order. Each differs from a valid body in one thing only, so `request`
 * must be one that the target serves.
 */
export function malformedBodies(request: JsonObject = {}): readonly MalformedBody[] {
  const text = JSON.stringify(request);
  const protocol = [
    bad("null-body", "null", "null is no message"),
    bad("array-body", `[${text}]`, "an array is no message"),
    bad("string-body", JSON.stringify(text), "a string is no message, whatever it holds"),
    bad("number-body", "42", "a number is no message"),
    bad("bool-body", "true", "a bool is no message"),
    { ...bad("truncated-body", text.slice(0, -1), "the JSON text is cut short"), row: "CP-U-38" },
    bad("text-after-body", `${text} trailing`, "nothing may follow the object"),
    bad("two-bodies", `${text}${text}`, "one object, not two"),
    bad("extra-brace-body", `${text}}`, "nothing may follow the object"),
    bad("blank-body", " \r\n\t", "white space holds no JSON text"),
    { ...bad("empty-body", "", "an empty body holds no JSON text"), unaryOnly: true },
  ];
  const lenient = [
    bad("nan-body", "NaN", "NaN is no JSON"),
    bad("trailing-comma-body", `${text.slice(0, -1)},}`, "JSON has no trailing comma"),
    bad("comment-body", `/* comment */ ${text}`, "JSON has no comments"),
    ...(text === "{}" ? [] : looseNames(request)),
  ];
  return [...protocol, ...lenient.map((each) => ({ ...each, level: "should", row: "PJ-33" }) as const)];
}

function bad(name: string, body: string, why: string): MalformedBody {
  return { name, body: new TextEncoder().encode(body), why, level: "protocol", row: "PJ-01", unaryOnly: false };
}

function looseNames(request: JsonObject): readonly MalformedBody[] {
  const entries = Object.entries(request).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const rewritten = (quote: string) =>
    `{${entries.map(([name, value]) => `${quote}${name}${quote}:${value}`).join(",")}}`;
  return [
    bad("single-quotes-body", rewritten("'"), "JSON names stand in double quotes"),
    bad("unquoted-names-body", rewritten(""), "JSON names stand in double quotes"),
  ];
}
