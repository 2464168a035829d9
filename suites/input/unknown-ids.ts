import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { tenantKinds } from "../../harness/oracles/records.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { isDefault, showJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import type { FactField, RpcRow } from "../../proto/rpcs.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";

/**
 * Ids a request acts on. Filters are left out: a listing filtered by an unknown id may just be empty. So are tools: a grant
 * only allows them, and what tools are, and who knows of them, is not shown.
 */
function idsActedOn(row: RpcRow): readonly FactField[] {
  return row.ids.filter(({ facts }) => !facts.filter && facts.names !== "tool");
}

/** An id's text in a request: of a list that of its first; empty where there is none. */
function idText(value: JsonValue | undefined): string {
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" ? first : textAt({ id: first ?? null }, "id.value");
}

const cut = (text: string) => text.slice(0, -1);
const misspelled = (text: string) => cut(text) + (text.endsWith("z") ? "y" : "z");

/** What an id may be instead that names nothing. */
interface Nameless {
  readonly text: string;
  readonly because: string;
}

/** Whether the row's tenant fields are sent their id cut short, or misspelled: each is sent to half of the rows. */
function isCutAt({ row, run }: CaseContext, field: FactField): boolean {
  const draws = run.draws.derive("texts that are no id").derive(field.name);
  return (row.peers.indexOf(row) + draws.integer(0, 1)) % 2 === 0;
}

/**
 * Ids that name nothing: an unknown one, the right one cut short, by which nothing is to be looked up, and one of the right
 * length that is no UUID. Which of the last two is sent in place of a tenant's id is drawn.
 */
function namelessFor(context: CaseContext, field: FactField, valid: JsonObject): readonly Nameless[] {
  const { random } = context;
  const isText = field.field.fieldKind === "scalar";
  const unknown = { text: isText ? `nothing-${random.token(12)}` : random.uuidv7(), because: "names nothing" };
  const right = idText(valid[field.name]) || random.uuidv7();
  const short = { text: cut(right), because: "is an id cut short" };
  const odd = { text: misspelled(right), because: isText ? "is one letter from an id" : "is no UUID" };
  if (!tenantKinds.has(field.facts.names)) return [unknown, short, odd];
  return [unknown, isCutAt(context, field) ? short : odd];
}

/** Judges that not all of several failed calls have one and the same correlationId. */
function judgeCorrelation({ judge }: CaseContext, replies: readonly Reply[]): void {
  const details = replies.flatMap((reply) => {
    const id = reply.outcome === "refused" ? textAt(reply.error.detail ?? {}, "correlationId") : "";
    return id === "" ? [] : [{ reply, id }];
  });
  const [last] = details.slice(-1);
  if (last === undefined || details.length < 2) return;
  const related = details.slice(0, -1).map(({ reply }) => reply);
  judge(last.reply, "*.errors.correlation", related).satisfies(
    details.some(({ id }) => id !== last.id),
    `an id of its own for each of ${details.length} failed calls`,
    `${last.id} for all of them`,
    "detail.correlationId",
  );
}

/**
 * Judges that where nothing was found, the details name the request: to a caller who may ask, only who has read the body says so.
 * Of others the reason may be a denial that hides.
 */
function judgeRequestNamed({ row, judge }: CaseContext, replies: readonly Reply[]): void {
  if (row.requestId === undefined || row.stream) return;
  for (const reply of replies) {
    const { reason, detail } = reply.outcome === "refused" ? reply.error : {};
    if (reason !== "RESOURCE_NOT_FOUND" || detail === undefined) continue;
    judge(reply, "*.errors.request-id").satisfies(
      !isDefault(detail.requestId),
      showJson(reply.request.requestId),
      showJson(detail.requestId),
      "detail.requestId",
    );
  }
}

export const unknownIds = defineRule({
  id: "input/unknown-ids-are-refused",
  says: "a request with an id that does not exist, or is no id, is refused, whichever field carries it, and no two calls alike",
  clauses: [
    "*.errors.not-found",
    "*.errors.client-fault",
    "*.errors.correlation",
    "*.errors.request-id",
    "*.endpoints.served",
  ],
  rows: (row) => idsActedOn(row).length > 0,
  async run(context) {
    const { row, setup } = context;
    const replies = await judgeRefusals(context, (valid) =>
      idsActedOn(row).flatMap((id) =>
        namelessFor(context, id, valid).map(({ text, because }): Attempt => {
          const { name, field } = id;
          const value: JsonValue = field.fieldKind === "scalar" ? text : { value: text };
          return {
            because: `its ${name} ${because}`,
            input: field.fieldKind === "list",
            changes: { ...freshRequestId(row, setup), [name]: field.fieldKind === "list" ? [value] : value },
          };
        }),
      ),
    );
    judgeCorrelation(context, replies);
    judgeRequestNamed(context, replies);
  },
});
