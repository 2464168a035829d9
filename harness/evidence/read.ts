import { readFileSync } from "node:fs";
import { UsageError } from "../target/load.ts";
import { BrokenChain, unseal } from "./chain.ts";
import {
  type CaseEvent,
  type EvidenceEvent,
  type EvidenceFooter,
  type EvidenceHeader,
  type ExchangeEvent,
  eventSchema,
  type SecretEvent,
} from "./events.ts";

/** Evidence, read back whole and unedited. */
export interface Evidence {
  readonly header: EvidenceHeader;
  readonly cases: readonly CaseEvent[];
  /** Exchanges and secrets in the order the standing rules saw them. */
  readonly seen: readonly (ExchangeEvent | SecretEvent)[];
  readonly footer: EvidenceFooter;
  /** Hash of the last line: it stands for all of them. */
  readonly head: string;
}

/**
 * Reads the evidence of a run.
 * @throws UsageError with one sentence: it cannot be read, was edited, or is not whole
 */
export function readEvidence(file: string): Evidence {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(
      `${file}: the evidence cannot be read (${(error as NodeJS.ErrnoException).code}); check the path.`,
    );
  }
  return parseEvidence(text, file);
}

/** Reads the text of evidence. @throws UsageError with one sentence */
export function parseEvidence(text: string, file: string): Evidence {
  const refuse = (why: string) =>
    new UsageError(`${file} is refused as evidence: ${why}; judge the file a run wrote, as it wrote it.`);
  const lines = text.split("\n");
  if (lines.pop() !== "") throw refuse("its last line is cut short");
  const { events, head } = unsealed(lines, refuse);
  const header = events.at(0);
  const footer = events.at(-1);
  if (header?.type !== "header") throw refuse("it does not begin with the header of a run");
  if (footer?.type !== "footer")
    throw refuse("it has no footer: the run did not come to its end, or the end is missing");
  const between = events.slice(1, -1);
  const cases = between.filter((event) => event.type === "case");
  const seen = between.filter((event) => event.type === "exchange" || event.type === "secret");
  if (cases.length + seen.length !== between.length) throw refuse("a second header or footer stands in it");
  const exchanges = seen.filter(({ type }) => type === "exchange").length;
  if (cases.length !== footer.counts.cases || exchanges !== footer.counts.exchanges) {
    throw refuse("it does not have the cases and exchanges its footer counts");
  }
  return { header, cases, seen: seen.toSorted((a, b) => a.order - b.order), footer, head };
}

function unsealed(lines: readonly string[], refuse: (why: string) => UsageError) {
  try {
    const { events, head } = unseal(lines);
    return { head, events: events.map((event) => checked(event, refuse)) };
  } catch (error) {
    if (error instanceof BrokenChain) throw refuse(error.message);
    throw error;
  }
}

function checked(event: unknown, refuse: (why: string) => UsageError): EvidenceEvent {
  const parsed = eventSchema.safeParse(event);
  if (!parsed.success) throw refuse("it holds an event of no known form");
  return parsed.data as unknown as EvidenceEvent;
}
