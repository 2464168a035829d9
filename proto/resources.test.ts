import { describe, expect, test } from "vitest";
import { recordFactsOf, stateFieldOf } from "./facts.ts";
import { idsWhere, messages, places, records } from "./places.testing.ts";
import {
  argumentsOf,
  changingRowOf,
  distinguishingFieldOf,
  isChangeable,
  isSteady,
  kindsOf,
  listRowOf,
  messageOfKind,
  namedResource,
  otherKindsOf,
  readRowOf,
  recordFields,
  siblingsOf,
  storedFields,
  subjectFieldOf,
  switches,
} from "./resources.ts";
import { Change, ChangesItself, CredentialKind, factsOf, type RpcRow, resourceOf, rpc, rpcs } from "./rpcs.ts";
import { writeField } from "./transcript/notation.ts";

describe("facts of records' fields", () => {
  test("a record's own id names its kind; memory settings, of which a user has one, have none", () => {
    const own = records.flatMap((message) => {
      const kind = resourceOf(message);
      return message.fields.filter((field) => factsOf(field).names === kind).map((field) => `${field}`);
    });
    expect(places.flatMap(({ field, facts }) => (facts.ownId ? [`${field}`] : []))).toEqual(own);
    expect(records.filter((message) => !message.fields.some((field) => factsOf(field).ownId)).map(String)).toEqual([
      "message beta.v1.MemorySettings",
    ]);
  });

  test("what callers tell a record by", () => {
    expect(idsWhere(({ facts }) => facts.mark)).toEqual([
      "alpha.v1.Artifact.name",
      "alpha.v1.Secret.name",
      "alpha.v1.WebhookEndpoint.name",
      "beta.v1.CustomerUserGrant.externalUserId",
      "beta.v1.Secret.name",
      "beta.v1.WebhookEndpoint.url",
    ]);
  });

  test("names callers give", () => {
    expect(idsWhere(({ facts }) => facts.name)).toEqual(
      idsWhere(({ name, field }) => name === "name" && records.includes(field.parent)),
    );
  });

  test("JSON documents, where they are sent and where they are shown", () => {
    expect(idsWhere(({ facts }) => facts.jsonDocument)).toEqual(idsWhere(({ name }) => name.endsWith("Json")));
  });

  test("digests, as bytes", () => {
    expect(idsWhere(({ facts }) => facts.digest)).toEqual(
      idsWhere(({ field }) => / ?sha256 bytes$/i.test(writeField(field))),
    );
  });

  test("the time of the last change, and what switches a record on and off", () => {
    expect(idsWhere(({ facts }) => facts.changedAt)).toEqual(idsWhere(({ name }) => name === "updatedAt"));
    expect(idsWhere(({ facts }) => facts.switches)).toEqual(
      idsWhere(({ name, field }) => name === "enabled" && records.includes(field.parent)),
    );
  });

  test("a customer user that something is handed to: the request is C3", () => {
    expect(idsWhere(({ facts }) => facts.recipient)).toEqual([
      "beta.v1.CompleteOAuthLoginRequestRequest.customerUserId",
    ]);
  });
});

describe("facts of records", () => {
  test("records of resources", () => {
    const kinds = messages.flatMap((message) => {
      const kind = resourceOf(message);
      return kind === undefined ? [] : [`${message.typeName} ${kind}`];
    });
    expect(kinds.sort()).toEqual([
      "alpha.v1.Artifact artifact",
      "alpha.v1.Job job",
      "alpha.v1.MiniAppDescriptor mini_app",
      "alpha.v1.Secret secret",
      "alpha.v1.WebhookDelivery webhook_delivery",
      "alpha.v1.WebhookEndpoint webhook_endpoint",
      "beta.v1.Approval approval",
      "beta.v1.Artifact artifact",
      "beta.v1.CustomerUserGrant customer_user",
      "beta.v1.Job job",
      "beta.v1.MemoryItem memory_item",
      "beta.v1.MemorySettings memory_settings",
      "beta.v1.Run run",
      "beta.v1.Secret secret",
      "beta.v1.Session session",
      "beta.v1.WebhookDelivery webhook_delivery",
      "beta.v1.WebhookEndpoint webhook_endpoint",
    ]);
  });

  test("what changes records though nobody calls", () => {
    const by = (how: ChangesItself) =>
      records.filter((message) => recordFactsOf(message)?.changesItself === how).map(String);
    expect(by(ChangesItself.BY_WORK)).toEqual([
      "message alpha.v1.Job",
      "message alpha.v1.WebhookDelivery",
      "message beta.v1.Job",
      "message beta.v1.Run",
      "message beta.v1.WebhookDelivery",
    ]);
    const expires = records.filter((message) =>
      stateFieldOf(message)?.enum?.values.some(({ name }) => name.endsWith("_EXPIRED")),
    );
    expect(by(ChangesItself.BY_EXPIRY)).toEqual(expires.map(String));
  });

  test("records of no tenant", () => {
    expect(records.filter((message) => recordFactsOf(message)?.published).map(String)).toEqual([
      "message alpha.v1.MiniAppDescriptor",
    ]);
  });
});

describe("what rows say of a kind", () => {
  const rotation = rpc("beta.v1.CustomerSecretService/RotateSecret");
  const kindsWhere = (holds: (row: RpcRow) => boolean) => [
    ...new Set(rpcs.filter(holds).map(({ subject }) => subject)),
  ];
  const methodsOf = (rows: readonly RpcRow[]) => rows.map(({ method }) => method);

  test("the rows about it, by what they do", () => {
    expect(methodsOf(siblingsOf(rotation))).toEqual([
      "CreateSecret",
      "DeleteSecret",
      "GetSecret",
      "ListSecrets",
      "RotateSecret",
    ]);
    expect(changingRowOf(rpc("alpha.v1.JobService/WatchJob"), Change.CANCELS)?.method).toBe("CancelJob");
    expect(changingRowOf(rotation, Change.SETS)).toBeUndefined();
    expect(readRowOf("artifact", "alpha.v1")?.method).toBe("GetArtifact");
    expect(readRowOf("webhook_delivery", "alpha.v1")).toBeUndefined();
    expect(listRowOf("secret", "beta.v1", [])).toBeUndefined();
  });

  test("kinds that somebody else's change leaves as usable as before", () => {
    expect(kindsWhere(isChangeable)).toEqual([
      "secret",
      "webhook_endpoint",
      "customer_user",
      "memory_settings",
      "memory_item",
    ]);
  });

  test("kinds that nothing but a call changes", () => {
    expect(kindsWhere((row) => isSteady(row) && !row.published && row.package === "alpha.v1")).toEqual([
      "secret",
      "webhook_endpoint",
    ]);
    expect(kindsWhere((row) => isSteady(row) && row.expectedVersion !== undefined)).toEqual([
      "secret",
      "webhook_endpoint",
      "customer_user",
      "memory_settings",
      "memory_item",
      "session",
    ]);
  });

  test("the message of its records", () => {
    expect(messageOfKind("customer_user", "beta.v1").name).toBe("CustomerUserGrant");
    expect(() => messageOfKind("voice_ticket", "beta.v1")).toThrow("nothing shows a voice_ticket");
    const link = rpc("beta.v1.HostedService/CreateHostedApprovalLink");
    expect(link.ids.map((id) => namedResource(link, id)?.name)).toEqual([
      undefined,
      undefined,
      "CustomerUserGrant",
      "Run",
    ]);
  });

  test("the fields by which it is named, told and versioned", () => {
    expect(subjectFieldOf(rotation)).toBe("secretId");
    expect(distinguishingFieldOf(rpc("beta.v1.WebhookService/CreateWebhookEndpoint"))).toBe("url");
    expect(distinguishingFieldOf(rpc("beta.v1.RunService/CreateRun"))).toBeUndefined();
    expect(recordFields(rotation)).toEqual({ id: "secretId", version: "resourceVersion" });
    expect(recordFields(rpc("beta.v1.PlatformService/GetArtifact"))).toEqual({ id: "artifactId", version: undefined });
  });

  test("what a request takes, and what of it the record shows", () => {
    const namesOf = (fields: ReturnType<typeof storedFields>) => fields.map(({ jsonName }) => jsonName);
    const update = rpc("alpha.v1.WebhookService/UpdateWebhookEndpoint");
    expect(namesOf(argumentsOf(update))).toEqual(["name", "url", "enabled"]);
    expect(namesOf(argumentsOf(rpc("beta.v1.SessionService/CreateVoiceConnectionTicket")))).toEqual([]);
    expect(namesOf(argumentsOf(rpc("alpha.v1.JobService/ListJobs")))).toEqual([]);
    expect(namesOf(storedFields(update))).toEqual(["workspaceId", "name", "url", "enabled"]);
    expect(rpcs.filter(switches).map(({ method }) => method)).toEqual([
      "UpdateWebhookEndpoint",
      "UpdateMemorySettings",
      "UpdateWebhookEndpoint",
    ]);
  });
});

test("a package of one kind of credential has no other to refuse", () => {
  expect(rpcs.filter((row) => row.package === "alpha.v1" && otherKindsOf(row).length > 0)).toEqual([]);
  const issuing = rpc("beta.v1.CustomerUserService/IssueBrowserToken");
  expect([...issuing.credentials, ...otherKindsOf(issuing)].sort((a, b) => a - b)).toEqual(kindsOf(issuing));
  expect(otherKindsOf(issuing)).toContain(CredentialKind.BROWSER_TOKEN);
});
