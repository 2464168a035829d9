import { fromJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { wrongTypeValues } from "./wrong-types.ts";

const id = { value: "01890a5d-ac96-774b-bcce-b302099a8057" };

const requests = {
  "alpha.v1.ArtifactService/CreateArtifactUpload": {
    requestId: id,
    workspaceId: id,
    miniAppId: "app",
    name: "name",
    mimeType: "text/plain",
    sizeBytes: "64",
    sha256Hex: "00",
    requestedRetention: "3600s",
  },
  "alpha.v1.SecretService/RotateSecret": {
    requestId: id,
    workspaceId: id,
    secretId: id,
    expectedResourceVersion: "1",
    value: "AQID",
  },
  "beta.v1.CustomerUserService/UpdateCustomerUserGrant": { expiresAt: "2037-01-02T03:04:05Z" },
  "alpha.v1.WebhookService/UpdateWebhookEndpoint": { workspaceId: id, enabled: true },
  "alpha.v1.JobService/ListJobs": { workspaceId: id, page: { pageSize: 3 }, state: "JOB_STATE_QUEUED" },
  "alpha.v1.PublicTestFixtureService/RunSync": { requestId: id, workspaceId: id, input: "x", secretIds: [id] },
};

describe.each(Object.entries(requests))("values of %s in wrong types", (name, request) => {
  const { input } = rpc(name);
  const values = wrongTypeValues(input, request);

  test("a strict parser reads the request and refuses every one of them", () => {
    expect(() => fromJson(input, request)).not.toThrow();
    for (const { field, value } of values) {
      const [name = ""] = field.split(".");
      expect(() => fromJson(input, { ...request, [name]: value }), JSON.stringify({ [field]: value })).toThrow();
    }
  });

  test("each field that is there has one, each once", () => {
    expect(new Set(values.map(({ field }) => field.split(".")[0]))).toEqual(new Set(Object.keys(request)));
    expect(new Set(values.map((one) => `${one.field} ${one.name}`)).size).toBe(values.length);
  });
});
