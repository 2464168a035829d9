import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { statusOfCode } from "../../../proto/clauses/codes.ts";
import { recordFields, siblingsOf, subjectFieldOf } from "../../../proto/resources.ts";
import { Effect, type RpcRow } from "../../../proto/rpcs.ts";
import { componentName, type KnownValues, messageSchema, messagesIn, type Way } from "./json-schema.ts";

const json = (schema: JsonObject): JsonObject => ({ content: { "application/json": { schema } } });
const reference = (message: DescMessage, way: Way): JsonObject => ({
  $ref: `#/components/schemas/${componentName(message, way)}`,
});

/** A Connect error whose code is one of these (CP-U-23 … CP-U-25). */
function errorSchema(names: readonly string[]): JsonObject {
  const detail = {
    type: "object",
    properties: { type: { type: "string" }, value: { type: "string", pattern: "^[A-Za-z0-9+/]*$" } },
    required: ["type", "value"],
  };
  return {
    type: "object",
    properties: {
      code: { type: "string", enum: [...names] },
      message: { type: "string" },
      details: { type: "array", items: detail },
    },
    required: ["code"],
  };
}

const codesByStatus = Map.groupBy(Object.keys(statusOfCode), (code) => String(statusOfCode[code]));

/** What is answered in case of an error: for each status the codes that go with it (CP-U-28), for any other all of them. */
const errorResponses: JsonObject = Object.fromEntries(
  [...codesByStatus.keys(), "default"].map((status) => [status, { $ref: `#/components/responses/${status}` }]),
);

const errorComponents: JsonObject = {
  ...Object.fromEntries(
    [...codesByStatus].map(([status, names]) => [
      status,
      { description: names.join(", "), ...json(errorSchema(names)) },
    ]),
  ),
  default: { description: "a Connect error", ...json(errorSchema(Object.keys(statusOfCode))) },
};

/** Where what a call made is named again: the calls about such a thing take its id, and its version, from the response. */
function linksOf(row: RpcRow, rows: readonly RpcRow[]): JsonObject {
  const { record } = row;
  if (row.effect !== Effect.CREATE || record === undefined) return {};
  const { id, version } = recordFields(row);
  const users = siblingsOf(row).filter((one) => rows.includes(one) && subjectFieldOf(one) !== undefined);
  return Object.fromEntries(
    users.map((user) => {
      const fields: JsonObject = { [subjectFieldOf(user) ?? ""]: `$response.body#/${record.name}/${id}` };
      const expected = user.expectedVersion?.name;
      if (expected !== undefined && version !== undefined) {
        fields[expected] = `$response.body#/${record.name}/${version}`;
      }
      return [user.method, { operationId: user.name, requestBody: fields }];
    }),
  );
}

/** Requests that are served, by the name of the RPC. */
export type Examples = ReadonlyMap<string, JsonObject>;

function operationOf(row: RpcRow, rows: readonly RpcRow[], example: JsonObject | undefined): JsonObject {
  const links = linksOf(row, rows);
  return {
    operationId: row.name,
    tags: [row.service],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: reference(row.input, "request"),
          ...(example === undefined ? {} : { examples: { served: { value: example } } }),
        },
      },
    },
    responses: {
      "200": {
        description: "the response message",
        ...json(reference(row.output, "response")),
        ...(Object.keys(links).length === 0 ? {} : { links }),
      },
      // Routing may answer bare (TR-10).
      "405": { description: "another method than POST" },
      "415": { description: "another type than JSON" },
      ...errorResponses,
    },
  };
}

/** The unary RPCs of rows: a stream's five-byte envelopes are nothing that OpenAPI can say. */
export function unaryOf(rows: readonly RpcRow[]): readonly RpcRow[] {
  return rows.filter(({ stream }) => !stream);
}

/**
 * The unary RPCs of rows as an OpenAPI 3.1 document: POST with JSON bodies, a bearer token, Connect errors; links from what
 * makes a thing to what names it.
 *
 * @param known what requests may name: without it a tool knows no workspace, and is refused everywhere
 * @param examples requests that are served as they are
 */
export function openApiOf(
  rows: readonly RpcRow[],
  known: KnownValues = {},
  examples: Examples = new Map(),
): JsonObject {
  const unary = unaryOf(rows);
  const inputs = unary.flatMap(({ input }) => [...messagesIn(input)]);
  const outputs = unary.flatMap(({ output }) => [...messagesIn(output)]);
  // A response that shows one record always shows it.
  const shown = unary.flatMap(({ record }) => (record === undefined ? [] : [record.field]));
  return {
    openapi: "3.1.0",
    info: {
      title: [...new Set(unary.map((row) => row.package))].join(" and "),
      version: "v1",
      description:
        "Written from the protobuf descriptors; streams are left out. Every call has the header Connect-Protocol-Version: 1.",
    },
    security: [{ bearer: [] }],
    paths: Object.fromEntries(
      unary.map((row) => [row.path, { post: operationOf(row, unary, examples.get(row.name)) }]),
    ),
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      responses: errorComponents,
      schemas: Object.fromEntries([
        ...inputs.map((one) => [componentName(one, "request"), messageSchema(one, "request", known)] as const),
        ...outputs.map((one) => [componentName(one, "response"), messageSchema(one, "response", {}, shown)] as const),
      ]),
    },
  };
}
