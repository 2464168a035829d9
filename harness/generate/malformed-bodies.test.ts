import { fromJsonString } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ListSecretsRequestSchema } from "../../proto/gen/alpha/v1/secret_service_pb.js";
import { malformedBodies } from "./malformed-bodies.ts";

describe("malformed bodies", () => {
  const request = { workspaceId: { value: "01890a5d-ac96-774b-bcce-b302099a8057" }, page: { pageSize: 5 } };

  test.for([{ request: {} }, { request }])("are refused by protobuf-es: $request", ({ request }) => {
    const bodies = malformedBodies(request);
    fromJsonString(ListSecretsRequestSchema, JSON.stringify(request));
    for (const { name, body } of bodies) {
      const text = new TextDecoder().decode(body);
      expect(() => fromJsonString(ListSecretsRequestSchema, text), `${name}: ${text}`).toThrow();
    }
    expect(new Set(bodies.map((each) => each.name)).size).toBe(bodies.length);
    expect(new Set(bodies.map((each) => String(each.body))).size).toBe(bodies.length);
  });

  test("leave the empty body to unary calls", () => {
    expect(
      malformedBodies(request)
        .filter((each) => each.unaryOnly)
        .map((each) => each.name),
    ).toEqual(["empty-body"]);
  });
});
