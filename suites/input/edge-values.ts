import type { DescField, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { int64Edges, uint32Edges, uint64Edges } from "../../harness/generate/edges.ts";
import { type Shape, shapeOf } from "../../harness/generate/shape.ts";
import { tenantKinds } from "../../harness/oracles/records.ts";
import { fillRequest } from "../../harness/setup/filled-request.ts";
import { showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { untilServed } from "../common/current-call.ts";
import { judgeNoServerError } from "../common/server-error.ts";

/** Neither so long that a record could not show when it ends, nor so short that it ends right away: created records must do no harm. */
const durationEdges = ["60.5s", "3600s", "3600.000000001s", "3600.250s", "3155760000s"];

const edges: Readonly<Partial<Record<Shape["kind"], readonly JsonValue[]>>> = {
  uint32: uint32Edges,
  int64: int64Edges,
  uint64: uint64Edges,
  duration: durationEdges,
};

interface Edge {
  readonly path: string;
  readonly value: JsonValue;
  readonly field: string;
  readonly sent: JsonValue;
}

/**
 * Edge values of a field's type, and of the fields of its message. Expected versions have cases of their own, and a watch
 * that resumes after a future version may rightly send nothing.
 */
function edgesOf(row: RpcRow, field: DescField): readonly Edge[] {
  const isVersion = [row.expectedVersion, row.resumeAfter].some((fact) => fact?.name === field.jsonName);
  if (isVersion || field.fieldKind === "list") return [];
  const place = (inner: DescField, path: string, wrap: (value: JsonValue) => JsonValue): readonly Edge[] =>
    (edges[shapeOf(inner).kind] ?? []).map((value) => ({ path, value, field: field.jsonName, sent: wrap(value) }));
  const shape = shapeOf(field);
  if (shape.kind !== "message") return place(field, field.jsonName, (value) => value);
  return shape.message.fields.flatMap((inner) =>
    place(inner, `${field.jsonName}.${inner.jsonName}`, (value) => ({ [inner.jsonName]: value })),
  );
}

function hasEdges(row: RpcRow): boolean {
  const repeatable = isReadOnly(row) || (row.effect === Effect.CREATE && row.record !== undefined);
  return repeatable && row.input.fields.some((field) => edgesOf(row, field).length > 0);
}

function answer(reply: Reply): string {
  return reply.outcome === "refused" ? `refused: ${reply.error.reason ?? reply.error.code}` : reply.outcome;
}

export const edgeValues = defineRule({
  id: "input/edge-values-cause-no-server-error",
  says: "numbers and durations at the edges of their types are served or refused, and cause no server error",
  clauses: ["json.request.no-server-error", "*.open.field-constraints"],
  rows: hasEdges,
  async run(context) {
    const { row, setup, call, needs, observe } = context;
    const subject = await setup.subjectOf(row);
    const all = row.input.fields.flatMap((field) => edgesOf(row, field));
    // The positive control: a server that refuses everything proves nothing.
    needs(await call(row, await setup.request(row, subject), { baseUrl: setup.baseUrl(row, subject) }));
    await Promise.all(
      all.map(async ({ path, value, field, sent }) => {
        const request = { ...(await setup.request(row, subject)), [field]: sent };
        const reply = await call(row, request, { baseUrl: setup.baseUrl(row, subject), ...untilServed(row) });
        judgeNoServerError(context, [reply], "json.request.no-server-error");
        observe("*.open.field-constraints", `${path} ${showJson(value)}: ${answer(reply)}`);
      }),
    );
  },
});

/** RPCs that, called without one of their fields, cannot act on anything but what the run created. */
function isHarmless(row: RpcRow): boolean {
  return isReadOnly(row) || (row.effect === Effect.CREATE && row.record !== undefined);
}

async function without(context: CaseContext, field: string, request: JsonObject, baseUrl: string | undefined) {
  const { row, call, observe } = context;
  const { [field]: _, ...rest } = request;
  // Sent as text: a call without its requestId would be given one.
  const reply = await call(row, rest, { baseUrl, body: JSON.stringify(rest), ...untilServed(row) });
  judgeNoServerError(context, [reply], "json.request.no-server-error");
  observe("*.open.required-fields", `without ${field}: ${answer(reply)}`);
}

/** Calls with a requestId that is no UUID: whether that is refused is not shown. */
async function oddlyIdentified(context: CaseContext, request: JsonObject, baseUrl: string | undefined) {
  const { row, call, observe, random } = context;
  const odd = { ...request, [row.requestId?.name ?? ""]: { value: `request-${random.token(12)}` } };
  const reply = await call(row, odd, { baseUrl, ...untilServed(row), exempt: ["wire/error-details-are-well-formed"] });
  judgeNoServerError(context, [reply], "json.request.no-server-error");
  observe("*.open.field-constraints", `requestId that is no UUID: ${answer(reply)}`);
}

export const missingFields = defineRule({
  id: "input/missing-or-unknown-fields-cause-no-server-error",
  says: "a request without one of its fields, or with an unknown field, is served or refused, and causes no server error",
  clauses: ["json.request.no-server-error", "*.open.required-fields", "json.request.unknown-field"],
  rows: isHarmless,
  async run(context) {
    const { row, setup, call, needs, observe } = context;
    const subject = await setup.subjectOf(row);
    const baseUrl = setup.baseUrl(row, subject);
    const valid = async () => fillRequest(setup, row, await setup.request(row, subject), subject);
    const usual = await valid();
    // The positive control: a server that refuses everything proves nothing.
    needs(await call(row, usual, { baseUrl, ...untilServed(row) }));
    const fields = Object.keys(usual);
    // Without its tenant a request might create something for another tenant, which could not be undone.
    const isTenant = (field: string) => row.ids.some((id) => id.name === field && tenantKinds.has(id.facts.names));
    const droppable = isReadOnly(row) ? fields : fields.filter((field) => !isTenant(field));
    await Promise.all([
      ...droppable.map(async (field) => without(context, field, await valid(), baseUrl)),
      // Nothing is awaited before all are under way: what ends a run is one of them, and the others are still heard.
      ...(row.requestId !== undefined ? [valid().then((request) => oddlyIdentified(context, request, baseUrl))] : []),
      (async () => {
        const request = await valid();
        const body = JSON.stringify({ ...request, unknownField: { value: 1 } });
        // A server that reads no such request has not read its requestId either.
        const exempt = ["wire/error-details-are-well-formed"];
        const reply = await call(row, request, { body, baseUrl, ...untilServed(row), exempt });
        judgeNoServerError(context, [reply], "json.request.no-server-error");
        observe("json.request.unknown-field", reply.outcome === "served" ? "ignored" : answer(reply));
      })(),
    ]);
  },
});
