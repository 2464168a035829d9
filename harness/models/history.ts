import type { CaseContext } from "../runner/context.ts";
import type { Subject } from "../setup/subject.ts";
import type { Reply } from "../wire/reply.ts";
import type { Family, Held, Sent } from "./family.ts";
import type { Patience } from "./patience.ts";
import { type Told, tellScript } from "./tell.ts";
import { stageOf } from "./thing.ts";

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
export interface History {
  readonly context: CaseContext;
  readonly family: Family;
  readonly patience: Patience;
  readonly held: readonly Held[];
  /** Things that no reading has shown since something was done to them. */
  readonly unseen: Set<Held>;
  /** Served mutations, in order, that may be sent again. */
  readonly sent: (Sent & { readonly of: Held; readonly makes: boolean })[];
  readonly broken: boolean;
  /** Takes a record into the model. */
  hold(subject: Subject): Held;
  tell(what: string, replies: readonly Reply[]): void;
  enter(judgement: Judgement): boolean;
}

/** The subject of a thing as the model has it. */
export function subjectNow({ subject, thing }: Held): Subject {
  return { ...subject, ...stageOf(thing) };
}

/** Begins a history: nothing is there yet. */
export function createHistory(context: CaseContext, family: Family, patience: Patience): History {
  const held: Held[] = [];
  const told: Told[] = [];
  const unseen = new Set<Held>();
  let broken = false;
  return {
    context,
    family,
    patience,
    held,
    unseen,
    sent: [],
    get broken() {
      return broken;
    },
    hold(subject) {
      const kind = family.kinds.find((one) => one.kind === subject.kind);
      if (kind === undefined) throw new Error(`the family has no ${subject.kind}`);
      const letter = String.fromCharCode(97 + held.filter((one) => one.kind === kind).length);
      const name = `${kind.kind.replaceAll("_", " ")} ${letter}`;
      const stages = [{ version: subject.version, record: subject.record }];
      const thing = { id: subject.id, name, stages, ended: false, seen: false, suspects: [] };
      const one: Held = { thing, kind, subject };
      held.push(one);
      unseen.add(one);
      return one;
    },
    tell: (what, replies) => void told.push({ what, replies }),
    enter({ reply, clause, held: holds, expected, seen, related = [] }) {
      const before = holds ? [] : [...new Set([...told.flatMap(({ replies }) => replies), ...related])];
      const story = () => `${seen()}; the history:\n${tellScript(told, context.run.secrets)}\n`;
      const shown = before.filter((one) => one !== reply);
      context.judge(reply, clause, shown).satisfies(holds, expected, holds ? "" : story());
      broken ||= !holds;
      return holds;
    },
  };
}
