import { describe, expect, test } from "vitest";
import { idsWhere, messages, type Place, places } from "./places.testing.ts";
import { Effect, resourceOf, rpcs } from "./rpcs.ts";
import { writeField } from "./transcript/notation.ts";

/**
 * The facts of the options against the documents' naming: each fact stands on every field whose name calls for it and
 * on no other, so that a rule that walks the facts walks what the contract meant.
 */

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
