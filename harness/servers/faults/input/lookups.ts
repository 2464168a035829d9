import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import { fixtureAppId } from "../../reference/alpha/mini-apps.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { inRequest, onResponse, refusedAsFailure } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsOf } from "../table.ts";

/** Takes a text for one that the server knows and that fits: ids it has shown, and texts it was sent there. */
const recalling =
  (path: string, fits: (known: string, text: string) => boolean) =>
  (row: RpcRow): WireHooks => {
    const known = new Set<string>();
    const { request } = inRequest(path, (value) => {
      const text = String(value);
      const other = known.has(text) ? undefined : [...known].find((one) => fits(one, text));
      if (other !== undefined) return other;
      known.add(text);
      return value;
    })(row);
    return {
      ...(request !== undefined && { request }),
      reply(json) {
        for (const [id] of JSON.stringify(json).matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)) known.add(id);
        return json;
      },
    };
  };

const byPrefix = (known: string, text: string) => known.length === text.length + 1 && known.startsWith(text);
const byLength = (known: string, text: string) =>
  known.length === text.length && known !== text && known.slice(0, -1) === text.slice(0, -1);

const uuid = /^[0-9a-f-]{36}$/i;

/** Fails where the text of an id is no UUID, as a table does whose column is one. */
const castFails = (id: string) =>
  onResponse((response, call) => {
    const text = (call.request[id] as JsonObject | undefined)?.value;
    return typeof text !== "string" || uuid.test(text)
      ? response
      : { ...response, status: 500, body: Buffer.from('{"code":"internal","message":"invalid input syntax"}') };
  });

const unfiltered = (fits: (state: JsonValue) => boolean) =>
  inRequest("state", (state) => (fits(state) ? undefined : state));

/** The record that is shown has another id than the one that was asked for. */
const showsAnother = { entails: ["*.records.identity"] };

/** Takes a text that fits for the one app that jobs are of. */
const takenFor = (fits: (text: string) => boolean) =>
  inRequest("miniAppId", (value) => (fits(String(value)) ? fixtureAppId : value));

/** Whether a text is a pattern that an id fits. */
const isPatternOf = (id: string, text: string) => {
  try {
    return new RegExp(`^${text}$`).test(id);
  } catch {
    return false;
  }
};

const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, "");

/** Filters by a mini app that take more than its id. */
export const looseAppFilters: readonly Fault[] = faultsOf("input", "alpha.v1", {
  "*.filters.hold": {
    "ListJobs-app-begins-the-filter": [
      "jobs are listed by a text that begins with their mini app's id",
      takenFor((text) => text.startsWith(fixtureAppId)),
    ],
    "ListJobs-app-among-others": [
      "jobs are listed by several ids with commas between them",
      takenFor((text) => text.split(",").includes(fixtureAppId)),
    ],
    "ListJobs-app-as-a-pattern": [
      "jobs are listed by a pattern that their mini app's id fits",
      takenFor((text) => isPatternOf(fixtureAppId, text)),
    ],
    "ListJobs-app-with-asterisks": [
      "jobs are listed by the beginning of their mini app's id and an asterisk",
      takenFor((text) => text.endsWith("*") && fixtureAppId.startsWith(text.slice(0, -1))),
    ],
    "ListJobs-app-without-its-hyphen": [
      "jobs are listed by the letters of their mini app's id alone",
      takenFor((text) => lettersOf(text) === lettersOf(fixtureAppId)),
    ],
    "ListJobs-app-ends-the-query": [
      "jobs are listed by a text that ends the query it is put into",
      takenFor((text) => /' *or *'/i.test(text)),
    ],
  },
});

/** Ids, states and texts by which something is looked up. */
export const lookupFaults: readonly Fault[] = [
  ...faultsOf("input", "alpha.v1", {
    "*.errors.not-found": {
      "GetMiniApp-found-by-prefix": [
        "a mini app is found by how its id begins",
        recalling("miniAppId", byPrefix),
        showsAnother,
      ],
      "GetSecret-found-by-prefix": [
        "a secret is found by how its id begins",
        recalling("secretId.value", byPrefix),
        showsAnother,
      ],
      "GetJob-found-by-all-but-its-last-letter": [
        "the last letter of an id is not looked at",
        recalling("jobId.value", byLength),
        showsAnother,
      ],
      "DeleteSecret-found-by-prefix": [
        "a secret is deleted by how its id begins",
        recalling("secretId.value", byPrefix),
      ],
    },
    "*.errors.client-fault": {
      "GetWebhookEndpoint-odd-id-is-a-server-error": [
        "an id that is no UUID is a server error",
        castFails("endpointId"),
      ],
      "GetArtifact-unknown-id-is-a-server-error": [
        "an unknown id is a server error",
        refusedAsFailure("RESOURCE_NOT_FOUND"),
      ],
      "ListSecrets-missing-scope-is-a-server-error": [
        "a missing scope is a server error",
        refusedAsFailure("AUTHORIZATION_DENIED"),
      ],
      "RotateSecret-stale-version-is-a-server-error": [
        "a stale version is a server error",
        refusedAsFailure("RESOURCE_VERSION_CONFLICT"),
      ],
    },
    "json.request.enum-number": {
      "ListJobs-undeclared-state-is-no-filter": [
        "a state that is not declared is no filter",
        unfiltered((state) => typeof state === "number" && state > 100),
        { also: ["*.filters.hold"] },
      ],
      "ListJobs-enum-number-misread": [
        "a state as a number is taken for another",
        inRequest("state", (state) => (typeof state === "number" ? "JOB_STATE_SUCCEEDED" : state)),
        { also: ["*.filters.hold"] },
      ],
    },
    "*.filters.hold": {
      "ListJobs-canceled-is-no-filter": [
        "CANCELED is no filter",
        unfiltered((state) => state === "JOB_STATE_CANCELED"),
      ],
    },
    "json.request.no-server-error": {
      "CreateSecret-white-space-in-a-value-fails": [
        "base64 with white space is a server error",
        onResponse((response, call) =>
          /\s/.test(String(call.request.value))
            ? { ...response, status: 500, body: Buffer.from('{"code":"internal"}') }
            : response,
        ),
      ],
    },
    "*.records.echo": {
      "CreateWebhookEndpoint-query-of-a-url-parsed-and-joined": [
        "an address is stored with one value for each name of its query",
        inRequest("url", (value) => {
          const url = new URL(String(value));
          for (const name of new Set(url.searchParams.keys()))
            url.searchParams.set(name, url.searchParams.get(name) ?? "");
          return url.href;
        }),
      ],
    },
  }),
  ...faultsOf("input", "beta.v1", {
    "*.errors.not-found": {
      "GetCustomerUserGrant-found-by-prefix": [
        "a grant is found by how its external id begins",
        recalling("externalUserId", byPrefix),
        showsAnother,
      ],
      "GetRun-found-by-prefix": [
        "a run is found by how its id begins",
        recalling("runId.value", byPrefix),
        showsAnother,
      ],
    },
    "*.errors.client-fault": {
      "GetSession-odd-id-is-a-server-error": ["an id that is no UUID is a server error", castFails("sessionId")],
    },
    "json.request.no-server-error": {
      "ListSessions-odd-requestId-is-a-server-error": [
        "a requestId that is no UUID is a server error",
        castFails("requestId"),
      ],
      "ListApprovals-expired-is-a-server-error": [
        "EXPIRED as a filter is a server error",
        onResponse((response, call) =>
          call.request.state === "APPROVAL_STATE_EXPIRED"
            ? { ...response, status: 500, body: Buffer.from('{"code":"internal"}') }
            : response,
        ),
      ],
    },
    "*.filters.hold": {
      "ListApprovals-canceled-is-no-filter": [
        "CANCELED is no filter",
        unfiltered((state) => state === "APPROVAL_STATE_CANCELED"),
      ],
    },
    "*.records.echo": {
      "CreateCustomerUserGrant-external-id-without-accents": [
        "an external id is stored in ASCII",
        inRequest("externalUserId", (value) => String(value).replaceAll(/[^ -~]/g, "")),
      ],
      "CreateWebhookEndpoint-url-without-empty-parameters": [
        "an address is stored without the empty parameters of its query",
        inRequest("url", (value) => String(value).replaceAll(/&\w+=(?=&|$)/g, "")),
      ],
    },
    "*.wire.json-documents-in": {
      "CreateCustomerUserGrant-any-attributes-stored": [
        "attributes that are no JSON document are stored",
        replacing((parts) => ({
          validate(context) {
            const { [context.row.name]: _, ...rules } = context.world.rules;
            parts.validate({ ...context, world: { ...context.world, rules } });
          },
        })),
        { also: ["*.wire.json-documents"] },
      ],
    },
  }),
];
