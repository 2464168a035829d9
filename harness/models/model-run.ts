import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import type { Reply } from "../wire/reply.ts";
import type { Model, ModelRecord, Sent } from "./model.ts";
import type { Patience } from "./patience.ts";
import { formatSteps, type LoggedStep } from "./step-log.ts";
import { currentVersionOf } from "./tracked-record.ts";

/** One judgement of a history, under a clause, on the reply that is to blame. */
export interface Judgement {
  readonly reply: Reply;
  readonly clause: string;
  readonly held: boolean;
  readonly expected: string;
  /** What was seen instead; asked for only where it failed. */
  readonly seen: () => string;
  /** Replies that show it, beside those of the history so far. */
  readonly related?: readonly Reply[];
}

/** A history as it goes on: the things of the model, what was told of it, and whether the contract still holds. */
export interface ModelRun {
  readonly context: CaseContext;
  readonly model: Model;
  readonly patience: Patience;
  readonly records: readonly ModelRecord[];
  /** Things that no reading has shown since something was done to them. */
  readonly unseen: Set<ModelRecord>;
  /** Served mutations, in order, that may be sent again. */
  readonly sent: (Sent & { readonly of: ModelRecord; readonly makes: boolean })[];
  readonly broken: boolean;
  /** Takes a record into the model. */
  track(subject: Subject): ModelRecord;
  log(what: string, replies: readonly Reply[]): void;
  enter(judgement: Judgement): boolean;
}

/** The subject of a thing as the model has it. */
export function currentSubject({ subject, tracked }: ModelRecord): Subject {
  return { ...subject, ...currentVersionOf(tracked) };
}

/** Begins a history: nothing is there yet. */
export function createModelRun(context: CaseContext, family: Model, patience: Patience): ModelRun {
  const held: ModelRecord[] = [];
  const told: LoggedStep[] = [];
  const unseen = new Set<ModelRecord>();
  let broken = false;
  return {
    context,
    model: family,
    patience,
    records: held,
    unseen,
    sent: [],
    get broken() {
      return broken;
    },
    track(subject) {
      const kind = family.kinds.find((one) => one.kind === subject.kind);
      if (kind === undefined) throw new Error(`the family has no ${subject.kind}`);
      const letter = String.fromCharCode(97 + held.filter((one) => one.kind === kind).length);
      const name = `${kind.kind.replaceAll("_", " ")} ${letter}`;
      const stages = [{ version: subject.version, record: subject.record }];
      const thing = { id: subject.id, name, stages, ended: false, seen: false, suspects: [] };
      const one: ModelRecord = { tracked: thing, kind, subject };
      held.push(one);
      unseen.add(one);
      return one;
    },
    log: (what, replies) => void told.push({ what, replies }),
    enter({ reply, clause, held: holds, expected, seen, related = [] }) {
      const before = holds ? [] : [...new Set([...told.flatMap(({ replies }) => replies), ...related])];
      const story = () => `${seen()}; the history:\n${formatSteps(told, context.run.secrets)}\n`;
      const shown = before.filter((one) => one !== reply);
      context.judge(reply, clause, shown).satisfies(holds, expected, holds ? "" : story());
      broken ||= !holds;
      return holds;
    },
  };
}
