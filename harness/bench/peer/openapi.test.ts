import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { rpc, rpcs } from "../../../proto/rpcs.ts";
import { validMessage } from "../../generate/arbitrary.ts";
import { valueAt } from "../../wire/json.ts";
import { messageSchema } from "./json-schema.ts";
import { openApiOf } from "./openapi.ts";

const document = openApiOf(rpcs);

/** The parts of a document below a path, as an object. */
function partsAt(path: string, of: JsonObject = document): JsonObject {
  return (valueAt(of, path) ?? {}) as JsonObject;
}

/** A schema of a document as a validator: its references resolved as JSON Schema has them. */
function validatorOf(name: string, of: JsonObject = document) {
  const components = JSON.stringify(partsAt("components", of).schemas).replaceAll("#/components/schemas/", "#/$defs/");
  return z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs: JSON.parse(components) });
}

const accepts = (name: string, value: JsonValue) => validatorOf(name).safeParse(value).success;

const id = { value: "01a20458-b05a-73d0-9e72-846157a72e55" };
const time = "2026-11-22T17:41:33.505Z";
const secret = { id, workspaceId: id, name: "a", resourceVersion: "1", createdAt: time };

describe("the OpenAPI document", () => {
  test("has every unary RPC of both packages, and nothing else", () => {
    const paths = partsAt("paths");
    expect(Object.keys(paths).sort()).toEqual(
      rpcs
        .filter(({ stream }) => !stream)
        .map(({ path }) => path)
        .sort(),
    );
    expect(Object.values(paths).every((one) => Object.keys(one as JsonObject).join() === "post")).toBe(true);
    expect(Object.keys(paths).length).toBeGreaterThan(60);
  });

  test("refers to what is there", () => {
    const components = partsAt("components");
    const names = new Set(
      ["schemas", "responses"].flatMap((kind) =>
        Object.keys(components[kind] as JsonObject).map((name) => `#/components/${kind}/${name}`),
      ),
    );
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, name]) => name);
    expect(references.filter((name) => name === undefined || !names.has(name))).toEqual([]);
    const ids = new Set(rpcs.map(({ name }) => name));
    const linked = [...JSON.stringify(document).matchAll(/"operationId":"([^"]+)"/g)].map(([, name]) => name);
    expect(linked.filter((name) => name === undefined || !ids.has(name))).toEqual([]);
  });

  test("asks for a bearer token everywhere", () => {
    expect(document.security).toEqual([{ bearer: [] }]);
    expect(partsAt("components").securitySchemes).toEqual({ bearer: { type: "http", scheme: "bearer" } });
  });

  test("leads from what makes a thing to what names it", () => {
    const operation = partsAt("paths")[rpc("alpha.v1.SecretService/CreateSecret").path] as JsonObject;
    const links = valueAt(operation, "post.responses.200.links") as JsonObject;
    expect(Object.keys(links).sort()).toEqual(["DeleteSecret", "GetSecret", "RotateSecret"]);
    expect(links.RotateSecret).toEqual({
      operationId: "alpha.v1.SecretService/RotateSecret",
      requestBody: {
        secretId: "$response.body#/secret/id",
        expectedResourceVersion: "$response.body#/secret/resourceVersion",
      },
    });
  });

  test("shows a request that is served", () => {
    const row = rpc("alpha.v1.SecretService/GetSecret");
    const shown = openApiOf(rpcs, {}, new Map([[row.name, { secretId: id }]]));
    const operation = partsAt("paths", shown)[row.path] as JsonObject;
    const { content } = (operation.post as JsonObject).requestBody as JsonObject;
    expect(((content as JsonObject)["application/json"] as JsonObject).examples).toEqual({
      served: { value: { secretId: id } },
    });
  });

  test("knows which codes go with a status", () => {
    const bad = partsAt("components.responses")["400"] as JsonObject;
    expect(bad.description).toBe("invalid_argument, failed_precondition, out_of_range");
  });
});

describe("its schemas", () => {
  test("are those of ProtoJSON", () => {
    const properties = (name: string, way: "input" | "output") =>
      messageSchema(rpc(name)[way], way === "input" ? "request" : "response").properties as JsonObject;
    const upload = properties("alpha.v1.ArtifactService/CreateArtifactUpload", "input");
    expect(upload.requestedRetention).toEqual({ type: "string", pattern: "^-?[0-9]{1,12}(\\.[0-9]{1,9})?s$" });
    const rotate = properties("alpha.v1.SecretService/RotateSecret", "input");
    expect(rotate.secretId).toEqual({ $ref: "#/components/schemas/request.alpha.v1.UUIDv7" });
    expect(rotate.expectedResourceVersion).toEqual({ type: "string", pattern: "^-?(0|[1-9][0-9]{0,18})$" });
    expect(rotate.value).toMatchObject({ type: "string", contentEncoding: "base64" });
    const jobs = properties("alpha.v1.JobService/ListJobs", "input");
    expect(jobs.state).toMatchObject({ type: "string", enum: expect.arrayContaining(["JOB_STATE_QUEUED"]) });
    const listed = properties("alpha.v1.SecretService/ListSecrets", "output");
    expect(listed.secrets).toEqual({
      anyOf: [{ type: "array", items: { $ref: "#/components/schemas/response.alpha.v1.Secret" } }, { type: "null" }],
    });
  });

  test("take every request that the suite generates", () => {
    for (const row of rpcs.filter(({ stream }) => !stream)) {
      const validator = validatorOf(`request.${row.input.typeName}`);
      const requests = fc.sample(validMessage(row.input), { numRuns: 5, seed: 1 });
      const refused = requests.filter((request) => !validator.safeParse(request).success);
      expect(refused, row.name).toEqual([]);
    }
  });

  test("take a record, and one with null for what is not set, and a field the contract does not list", () => {
    const name = "response.alpha.v1.GetSecretResponse";
    expect(accepts(name, { secret })).toBe(true);
    expect(accepts(name, { secret: { ...secret, deletedAt: null, extra: 1 } })).toBe(true);
  });

  test.each([
    ["a version that is a number", { ...secret, resourceVersion: 1 }],
    ["an id that is a text", { ...secret, id: id.value }],
    ["an id of another version", { ...secret, id: { value: "01a20458-b05a-43d0-9e72-846157a72e55" } }],
    ["no name", { ...secret, name: undefined }],
    ["a time that is a number", { ...secret, createdAt: 1 }],
  ])("refuse a record with %s", (_, record) => {
    expect(accepts("response.alpha.v1.GetSecretResponse", { secret: record as JsonObject })).toBe(false);
  });

  test("refuse an enum by number, and a response without its record", () => {
    expect(accepts("request.beta.v1.DecideApprovalRequest", { decision: 1 })).toBe(false);
    expect(accepts("response.alpha.v1.GetSecretResponse", {})).toBe(false);
  });

  test("name what is known in requests, and in no response", () => {
    const known = openApiOf(rpcs, { workspace: [id.value] });
    const schemas = partsAt("components.schemas", known);
    const workspaceIn = (name: string) =>
      ((schemas[name] as JsonObject).properties as JsonObject).workspaceId as JsonObject;
    expect(workspaceIn("request.alpha.v1.GetSecretRequest")).toEqual({
      type: "object",
      properties: { value: { type: "string", enum: [id.value] } },
      required: ["value"],
    });
    expect(workspaceIn("response.alpha.v1.Secret")).toEqual({ $ref: "#/components/schemas/response.alpha.v1.UUIDv7" });
  });
});
