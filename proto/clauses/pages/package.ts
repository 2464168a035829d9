import { errorDetails, type PackageName, resourceOf, services } from "../../rpcs.ts";
import { anchorOf, packagePage } from "../place.ts";
import type { Prose } from "../prose/prose.ts";
import { type Blocks, clausesAt, heading, page, table, texts } from "./markdown.ts";
import { credentialTables, fieldsOf, rowsOf, rpcSection } from "./rpcs.ts";

const intro =
  "What the document of this package states, in our own words and under its headings. RPCs, messages and enumerations come from the protobuf files in `proto/`, clauses from the ledger in `proto/clauses/`. What a level means stands in [levels](../levels.md); what Connect and ProtoJSON add, in the [protocol sheet](connect-protocol.md); how sentences that read two ways are taken, in the [readings](readings.md).";

/** The page of a package: what its document says, and at each place the clauses that cite it. */
export function packagePageText(name: PackageName, prose: Prose): string {
  const path = packagePage(name);
  const { messages, enums } = errorDetails[name].file;

  const section = (level: number, title: string, place: string, derived: Blocks = []): Blocks => {
    const anchor = anchorOf(place);
    return [heading(level, title, anchor), ...texts(prose[place]), ...derived, ...clausesAt(path, anchor)];
  };

  const itemsOf = (chapter: string): Blocks =>
    Object.entries(prose).flatMap(([place, says]) => {
      const number = place.startsWith(`${chapter} `) ? place.slice(chapter.length + 1) : "";
      if (!/^\d+$/.test(number)) return [];
      const anchor = anchorOf(place);
      return [`<a id="${anchor}"></a>**${number}.** ${says}`, ...clausesAt(path, anchor)];
    });

  const chapter = (title: string, derived: Blocks = []): Blocks => [
    ...section(2, title, title, derived),
    ...itemsOf(title),
  ];

  const records = messages.filter(({ name: own }) => own !== "UUIDv7");
  const states = records.flatMap((record) => {
    const state = record.fields.find(({ jsonName }) => jsonName === "state");
    return resourceOf(record) === undefined || state?.enum === undefined
      ? []
      : [[`[${record.name}](#${anchorOf(`Messages ${record.name}`)})`, enumLink(state.enum.name)]];
  });

  return page(`The contract: ${name}`, [
    intro,
    ...chapter("What the service does"),
    heading(2, "Resources and their fields"),
    ...section(3, "Wire conventions", "Wire conventions"),
    ...section(3, "Messages", "Messages"),
    ...records.flatMap((record) => section(4, record.name, `Messages: ${record.name}`, [fieldsOf(record)])),
    ...section(3, "Enumerations", "Enumerations"),
    ...enums.flatMap((each) => [
      heading(4, each.name, anchorOf(`Enumerations ${each.name}`)),
      each.values.map((value) => `\`${value.name}\``).join(", "),
    ]),
    ...chapter("States and transitions", table(["record", "its states"], states)),
    ...chapter("Endpoints"),
    ...services
      .filter(({ file }) => file.proto.package === name)
      .flatMap((service) => [
        ...section(3, service.name, `Endpoints: ${service.name}`),
        ...rowsOf(name)
          .filter((row) => row.service === service.name)
          .flatMap(rpcSection),
      ]),
    ...chapter("Authentication", credentialTables(name)),
    ...chapter("Events"),
    ...chapter("Errors", [
      `Reasons are those of ${enumLink("ErrorReason")}, advice on retries that of ${enumLink("RetryGuidance")}.`,
    ]),
    ...chapter("Limits"),
    ...chapter("Versioning"),
  ]);
}

function enumLink(name: string): string {
  return `[${name}](#${anchorOf(`Enumerations ${name}`)})`;
}
