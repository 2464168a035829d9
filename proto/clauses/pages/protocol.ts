import { codeOfStatus, statusOfCode } from "../codes.ts";
import { anchorOf, protocolPage } from "../place.ts";
import { sheet } from "../sheet/index.ts";
import { type Blocks, clausesAt, heading, page, table, texts } from "./markdown.ts";

const intro: Blocks = [
  "What the Connect protocol with JSON asks of a server, as far as an outside client can check it, in our own words. The contract adopts it. The sheet has the rows that something in this project cites. Their ids are stable, and comments cite them.",
  ...table(
    ["mark", "what a breach comes to"],
    [
      ["F", "it fails, unless the row calls it a warning; the level of its clauses is `protocol`"],
      [
        "W",
        "it is a warning, since maintained servers differ or no source demands more; the level of its clauses is `should`",
      ],
      ["I", "there is none: it is recorded only; the level of its clauses is `open`"],
      ["F/W", "either: the row says what fails"],
      ["allowed", "there is none: it looks like a breach, and a suite that fails it is wrong"],
      ["client", "the suite itself would be wrong"],
    ],
  ),
  "Sources: the Connect protocol reference and the cases of its conformance suite, the ProtoJSON format and the cases of the protobuf conformance suite, RFC 3339, 8259, 9110, 9113 and 9562, and what the maintained runtimes do.",
];

const codes: Blocks = [
  heading(2, "Codes and statuses"),
  "With each code a server sends one status. Where a reply has no usable Error, a client infers the code from the status; from any status that is not listed it infers `unknown`.",
  ...table(
    ["code", "status"],
    Object.entries(statusOfCode).map(([code, status]) => [`\`${code}\``, String(status)]),
  ),
  ...table(
    ["status", "inferred code"],
    Object.entries(codeOfStatus).map(([status, code]) => [status, `\`${code}\``]),
  ),
];

/** The protocol sheet, with the clauses that cite each row. */
export function protocolPageText(): string {
  const chapters = sheet.flatMap(({ title, says, rows }) => [
    heading(2, title),
    ...texts(says),
    ...rows.flatMap(({ id, verdict, says: rule }) => {
      const anchor = anchorOf(id);
      return [`<a id="${anchor}"></a>**${id}** · ${verdict} · ${rule}`, ...clausesAt(protocolPage, anchor)];
    }),
  ]);
  return page("The protocol sheet: Connect and ProtoJSON", [...intro, ...chapters, ...codes]);
}
