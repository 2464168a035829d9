import { UsageError } from "../target/load.ts";
import { BrokenChain, type Unsealed, unseal } from "./chain.ts";
import {
  type CaseEvent,
  type EvidenceEvent,
  type EvidenceFooter,
  type EvidenceHeader,
  type ExchangeEvent,
  eventSchema,
  type SecretEvent,
} from "./events.ts";
import { linesOf } from "./lines.ts";

/** Evidence that was read and is unedited. */
export interface RecordedEvidence {
  readonly header: EvidenceHeader;
  readonly cases: readonly CaseEvent[];
  /** Exchanges and secrets in the order the invariants saw them. */
  readonly seen: readonly (ExchangeEvent | SecretEvent)[];
  /** How the run ended; undefined where it broke off. */
  readonly footer: EvidenceFooter | undefined;
  /** Hash of the last line, which covers all lines. */
  readonly head: string;
}

/** Evidence of a run that came to its end. */
export interface Evidence extends RecordedEvidence {
  readonly footer: EvidenceFooter;
}

/** What to read: `outcome` counts exchanges and secrets but leaves them out. */
type Parts = "everything" | "outcome";

/** How the line of an exchange begins: where only the outcome is asked for, such lines are skipped unparsed. */
const exchangePrefix = '{"type":"exchange",';

/**
 * Reads the evidence of a run, line by line.
 * @param parts with `outcome`, exchanges and secrets are counted and left out
 * @throws UsageError with one sentence: it cannot be read, was edited, or is not whole
 */
export function readEvidence(file: string, parts: Parts = "everything"): Evidence {
  const evidence = readRecorded(file, parts, "whole");
  const { footer } = evidence;
  if (footer === undefined) {
    throw refusal(file, "it has no footer: the run did not come to its end, or the end is missing");
  }
  return { ...evidence, footer };
}

/** Reads what a run wrote that may have broken off: as far as it goes, and its outcome only. */
export function readBrokenOff(file: string): RecordedEvidence {
  return readRecorded(file, "outcome", "cut short");
}

function refusal(file: string, why: string): UsageError {
  return new UsageError(`${file} is refused as evidence: ${why}; judge the file a run wrote, as it wrote it.`);
}

function readRecorded(file: string, parts: Parts, expected: "whole" | "cut short"): RecordedEvidence {
  const refuse = (why: string) => refusal(file, why);
  try {
    const lines = linesOf(file, () => {
      if (expected === "whole") throw refuse("its last line is cut short");
    });
    return gather(unseal(lines), parts, refuse);
  } catch (error) {
    if (error instanceof BrokenChain) throw refuse(error.message);
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) throw new UsageError(`${file}: the evidence cannot be read (${code}); check the path.`);
    throw error;
  }
}

function gather(lines: Iterable<Unsealed>, parts: Parts, refuse: (why: string) => UsageError): RecordedEvidence {
  const cases: CaseEvent[] = [];
  const seen: (ExchangeEvent | SecretEvent)[] = [];
  let header: EvidenceHeader | undefined;
  let last: EvidenceEvent | undefined;
  let head = "";
  let exchanges = 0;
  let misplaced = 0;
  for (const { body, hash } of lines) {
    head = hash;
    if (last?.type === "footer") misplaced += 1;
    const isSkipped = parts === "outcome" && header !== undefined && body.startsWith(exchangePrefix);
    const event: EvidenceEvent | undefined = isSkipped ? undefined : checked(JSON.parse(body), refuse);
    last = event;
    if (header === undefined) {
      if (event?.type !== "header") break;
      header = event;
    } else if (event === undefined || event.type === "exchange") exchanges += 1;
    else if (event.type === "case") cases.push(event);
    else if (event.type === "header") misplaced += 1;
    if (parts === "everything" && (event?.type === "exchange" || event?.type === "secret")) seen.push(event);
  }
  if (header === undefined) throw refuse("it does not begin with the header of a run");
  const footer = last?.type === "footer" ? last : undefined;
  if (misplaced > 0) throw refuse("a second header or footer stands in it");
  if (footer !== undefined && (cases.length !== footer.counts.cases || exchanges !== footer.counts.exchanges)) {
    throw refuse("it does not have the cases and exchanges its footer counts");
  }
  return { header, cases, seen: seen.toSorted((a, b) => a.order - b.order), footer, head };
}

function checked(event: unknown, refuse: (why: string) => UsageError): EvidenceEvent {
  const parsed = eventSchema.safeParse(event);
  if (!parsed.success) throw refuse("it holds an event of no known form");
  return parsed.data as unknown as EvidenceEvent;
}
