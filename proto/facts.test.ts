import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { FieldFacts } from "./gen/contract/v1/options_pb.js";
import { Effect, factsOf, type RpcRow, resourceOf, rpcs, services } from "./rpcs.ts";
import { writeField } from "./transcript/notation.ts";

/**
 * The facts of the options against the documents' naming: each fact stands on every field whose name calls for it and
 * on no other, so that a rule that walks the facts walks what the contract meant.
 */

const requests = new Map(rpcs.map((row) => [row.input.typeName, row]));
const responses = new Map(rpcs.map((row) => [row.output.typeName, row]));
const packages = new Set<string>(rpcs.map((row) => row.package));
const messages: readonly DescMessage[] = [
  ...new Set(services.flatMap(({ file }) => [file, ...file.dependencies])),
].flatMap((file) => (packages.has(file.proto.package) ? file.messages : []));

interface Place {
  readonly id: string;
  readonly name: string;
  readonly field: DescField;
  readonly facts: FieldFacts;
  /** The row whose request (or response) the field stands in; neither for fields of records. */
  readonly request: RpcRow | undefined;
  readonly response: RpcRow | undefined;
}

const places: readonly Place[] = messages.flatMap((message) =>
  message.fields.map((field) => ({
    id: `${message.typeName}.${field.jsonName}`,
    name: field.jsonName,
    field,
    facts: factsOf(field),
    request: requests.get(message.typeName),
    response: responses.get(message.typeName),
  })),
);

function idsWhere(holds: (place: Place) => boolean): string[] {
  return places.filter(holds).map((place) => place.id);
}

describe("facts of fields stand where the documents' names put them", () => {
  test("request ids", () => {
    expect(idsWhere(({ facts }) => facts.requestId)).toEqual(
      idsWhere(({ name, request }) => name === "requestId" && request !== undefined),
    );
  });

  test("every request of beta.v1 carries one; in alpha.v1 those that do something, and issuing a download URL", () => {
    for (const row of rpcs) {
      const readsOnly = [Effect.READ, Effect.LIST, Effect.WATCH].includes(row.effect);
      const expected = row.package === "beta.v1" || !readsOnly || row.method === "CreateArtifactDownload";
      expect(row.requestId !== undefined, row.name).toBe(expected);
    }
  });

  test("expected versions", () => {
    expect(idsWhere(({ facts }) => facts.expectedVersion)).toEqual(
      idsWhere(({ name, request }) => /^expected\w*ResourceVersion$/.test(name) && request !== undefined),
    );
  });

  test("every update and deletion is conditional on a version, nothing else is", () => {
    for (const row of rpcs) {
      const mutates = row.effect === Effect.UPDATE || row.effect === Effect.DELETE;
      expect(row.expectedVersion !== undefined, row.name).toBe(mutates);
    }
  });

  test("resource versions", () => {
    expect(idsWhere(({ facts }) => facts.resourceVersion)).toEqual(idsWhere(({ name }) => name === "resourceVersion"));
  });

  test("credentials in plaintext", () => {
    expect(idsWhere(({ facts }) => facts.credentialPlaintext)).toEqual([
      "alpha.v1.CreateWebhookEndpointResponse.signingSecret",
      "alpha.v1.RotateWebhookSecretResponse.signingSecret",
      "beta.v1.IssueBrowserTokenResponse.token",
      "beta.v1.CreateVoiceConnectionTicketResponse.ticket",
      "beta.v1.CreateWebhookEndpointResponse.signingSecret",
      "beta.v1.RotateWebhookSecretResponse.signingSecret",
    ]);
  });

  test("write-only secrets", () => {
    expect(idsWhere(({ facts }) => facts.writeOnlySecret)).toEqual([
      "alpha.v1.CreateSecretRequest.value",
      "alpha.v1.RotateSecretRequest.value",
      "beta.v1.CreateSecretRequest.plaintextValue",
      "beta.v1.RotateSecretRequest.plaintextValue",
    ]);
    expect(idsWhere(({ name }) => name === "plaintextValue")).toHaveLength(2);
  });

  test("capability URLs", () => {
    expect(idsWhere(({ facts }) => facts.capabilityUrl)).toEqual(
      idsWhere(({ name, response }) => /^url$|Url$/.test(name) && response !== undefined),
    );
  });

  test("filters are what a listing takes beyond its tenant, its requestId and its page", () => {
    const general = new Set(["requestId", "workspaceId", "appId", "customerUserId", "page"]);
    expect(idsWhere(({ facts }) => facts.filter)).toEqual(
      idsWhere(({ name, request }) => request?.effect === Effect.LIST && !general.has(name)),
    );
  });

  test("places in a stream, and where it is taken up again", () => {
    expect(idsWhere(({ facts }) => facts.sequence)).toEqual(idsWhere(({ name }) => name === "sequence"));
    expect(idsWhere(({ facts }) => facts.resumeAfter)).toEqual(idsWhere(({ name }) => name.startsWith("after")));
    for (const row of rpcs) expect(row.resumeAfter !== undefined, row.name).toBe(row.effect === Effect.WATCH);
  });
});

describe("ids name a kind of thing", () => {
  /** Ids that are not text of the kind they name: a record's own `id`, short forms, and ids that are plain strings. */
  const special: Readonly<Record<string, string>> = {
    endpointId: "webhook_endpoint",
    deliveryId: "webhook_delivery",
    miniAppId: "mini_app",
    externalUserId: "external_user",
  };

  function kindOf({ id, name, field }: Place): string {
    if (name === "id") return resourceOf(field.parent) ?? "";
    // Creating a grant gives the user this name: there is nothing yet that it could be the name of.
    if (id === "beta.v1.CreateCustomerUserGrantRequest.externalUserId") return "";
    if (special[name] !== undefined) return special[name];
    if (name === "requestId" || name === "subjectId" || !/ UUID(\[\])?$/.test(writeField(field))) return "";
    return name
      .replace(/Ids?$/, "")
      .replace(/^(?:allowed|source|input|result|owning)(?=[A-Z])/, "")
      .replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`)
      .toLowerCase();
  }

  test.each(messages.map((message) => message.typeName))("%s", (typeName) => {
    const here = places.filter(({ field }) => field.parent.typeName === typeName);
    expect(here.map(({ id, facts }) => [id, facts.names])).toEqual(here.map((place) => [place.id, kindOf(place)]));
  });
});

describe("facts of rows", () => {
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

  test("a listing takes a page, gives a page, and lists records of its subject", () => {
    for (const row of rpcs) {
      const listing = row.effect === Effect.LIST;
      const pages = [row.input, row.output].map((message) => message.fields.find((f) => f.jsonName === "page"));
      expect(
        pages.map((page) => page?.message?.name),
        row.name,
      ).toEqual(listing ? ["PageRequest", "PageInfo"] : [undefined, undefined]);
      expect(row.method.startsWith("List"), row.name).toBe(listing);
      expect(row.list !== undefined, row.name).toBe(listing);
    }
  });

  test("effects follow the first word of the method", () => {
    const effects: Readonly<Record<string, Effect>> = {
      Get: Effect.READ,
      Download: Effect.READ,
      List: Effect.LIST,
      Watch: Effect.WATCH,
      Stream: Effect.WATCH,
      Create: Effect.CREATE,
      Issue: Effect.CREATE,
      Run: Effect.CREATE,
      Delete: Effect.DELETE,
    };
    /** A link is a way to look at what is there; deleting all memory leaves the settings it is conditional on. */
    const exceptions: Readonly<Record<string, Effect>> = {
      CreateArtifactDownload: Effect.READ,
      CreateHostedApprovalLink: Effect.READ,
      DeleteAllMemory: Effect.UPDATE,
    };
    for (const { name, method, effect } of rpcs) {
      const first = /^[A-Z][a-z]+/.exec(method)?.[0] ?? "";
      expect(Effect[effect], name).toBe(Effect[exceptions[method] ?? effects[first] ?? Effect.UPDATE]);
    }
  });

  test("a record or an id of the subject stands in the messages of every row that has one", () => {
    const without = rpcs.filter((row) => {
      const ids = row.ids.map(({ facts }) => facts.names);
      return row.record === undefined && row.list === undefined && !ids.includes(row.subject);
    });
    expect(without.map((row) => `${row.name} ${row.subject}`)).toEqual([
      "alpha.v1.PublicTestFixtureService/RunStream fixture_output",
      "alpha.v1.PublicTestFixtureService/RunSync fixture_output",
      "beta.v1.CustomerUserService/IssueBrowserToken browser_token",
      "beta.v1.HostedService/CreateHostedApprovalLink approval",
      "beta.v1.SessionService/CreateVoiceConnectionTicket voice_ticket",
    ]);
  });
});
