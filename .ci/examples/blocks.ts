/** Lines that stand in a file, and what they become; `old` is empty where the file is new. */
export interface Edit {
  readonly kind: "edit";
  /** Path from the root. */
  readonly file: string;
  readonly old: string;
  readonly new: string;
}

/** A line of a shell block. */
export interface Command {
  readonly kind: "command";
  readonly text: string;
  /** It goes on while the next commands run: the line ends with ` &`. */
  readonly background: boolean;
  /** What it ends with. */
  readonly exit: number;
  /** What stands in its output: the comments below it. */
  readonly shows: readonly string[];
}

export type Step = Edit | Command;

/** A section of a page, with what its blocks do, in order. */
export interface Example {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** The sections of a page, at any depth, that have a `diff`, `ts` or `sh` block. Throws an Error on a block of another form. */
export function readExamples(page: string): readonly Example[] {
  const sections = page.split(/^#{2,} /m).slice(1);
  return sections
    .map((section) => ({ title: section.slice(0, section.indexOf("\n")), steps: readSteps(section) }))
    .filter(({ steps }) => steps.length > 0);
}

const readers: Readonly<Record<string, (text: string) => readonly Step[]>> = {
  diff: readDiff,
  ts: (text) => [readNewFile(text)],
  sh: readShell,
  text: () => [],
};

function readSteps(section: string): readonly Step[] {
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, language = "", text = ""]) => {
    const read = readers[language];
    if (read === undefined) throw new Error(`a block of ${language} is no part of an example`);
    return read(text);
  });
}

/** A whole new file: its path is the first line, a comment. */
function readNewFile(text: string): Edit {
  const [, file, content = ""] = /^\/\/ (\S+)\n(.*)$/s.exec(text) ?? [];
  if (file === undefined) throw new Error(`the first line of a ts block names its file:\n${text}`);
  return { kind: "edit", file, old: "", new: content };
}

/** Changes of files that are there: `--- file` begins a file, `@@` parts of one, and lines say what stands beside. */
function readDiff(text: string): readonly Edit[] {
  return text.split(/^--- /m).flatMap((part) => {
    const [file = "", ...lines] = part.trimEnd().split("\n");
    if (file === "") return [];
    const hunks = lines.join("\n").split(/\n@@.*\n/);
    return hunks.map((hunk) => {
      const of = (sign: string) => hunk.split("\n").filter((line) => !line.startsWith(sign));
      const join = (some: readonly string[]) => some.map((line) => `${line.slice(1)}\n`).join("");
      return { kind: "edit" as const, file, old: join(of("+")), new: join(of("-")) };
    });
  });
}

/** Commands, a line each; below each what it shows, as comments. */
function readShell(text: string): readonly Command[] {
  return text.split(/^(?!#)/m).map((part) => {
    const [line = "", ...comments] = part.trimEnd().split("\n");
    const said = comments.map((comment) => comment.replace(/^# ?/, ""));
    const exits = said.flatMap((one) => /^exit (\d+)$/.exec(one)?.[1] ?? []);
    return {
      kind: "command" as const,
      text: line.replace(/ &$/, ""),
      background: line.endsWith(" &"),
      exit: Number(exits[0] ?? 0),
      shows: said.filter((one) => !/^exit \d+$/.test(one)),
    };
  });
}

/** A file's text with an edit made. Throws an Error where the lines it changes do not stand there once. */
export function applyEdit(text: string | undefined, edit: Edit): string {
  if (edit.old === "" && text === undefined) return edit.new;
  const places = text === undefined || edit.old === "" ? 0 : `\n${text}`.split(`\n${edit.old}`).length - 1;
  if (text === undefined || places !== 1) {
    throw new Error(`${edit.file} has ${places} places that read:\n${edit.old}`);
  }
  return `\n${text}`.replace(`\n${edit.old}`, () => `\n${edit.new}`).slice(1);
}
