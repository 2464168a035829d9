import { describe, expect, test } from "vitest";
import { type Instance, planInstances } from "../harness/case/plan.ts";
import { Change, Effect, packageNames, rpc } from "../proto/rpcs.ts";
import { fieldsOf, rowsWith, type SyntheticRpc } from "../proto/synthetic.testing.ts";
import { loadCases } from "./cases.ts";

/**
 * A rule's rows are told by facts the contract states. To prove it RPCs are added that the contract does not have, each
 * like a committed one but for one fact: they get every rule that fits and none that does not, and no other RPC's rules
 * change.
 */

/** The facts of an RPC, where another one states the same. */
function factsLike(name: string) {
  const { scope, payloadAccess, cost, execution, effect, subject, change, credentials } = rpc(name);
  return { scope, payloadAccess, cost, execution, effect, subject, change, credentials: [...credentials] };
}

/** An update that sets the name that was given when the record was made, in the place of a rotation. */
function renaming(rotation: string, name: string, creation: string): SyntheticRpc {
  const { input, record, writeOnly } = rpc(rotation);
  const kept = input.fields.filter((field) => writeOnly.every((secret) => secret.field !== field));
  return {
    name,
    facts: { ...factsLike(rotation), change: Change.SETS },
    request: [...kept, ...fieldsOf(creation, "input", "name")],
    response: record === undefined ? [] : [record.field],
  };
}

const inAlpha = "alpha.v1.SecretService";
const inBeta = "beta.v1.CustomerSecretService";
const jobs = "alpha.v1.JobService";
const hooks = "alpha.v1.WebhookService";

const renameInAlpha = renaming(`${inAlpha}/RotateSecret`, `${inAlpha}/RenameSecret`, `${inAlpha}/CreateSecret`);
const renameInBeta = renaming(`${inBeta}/RotateSecret`, `${inBeta}/RenameSecret`, `${inBeta}/CreateSecret`);
const renameEndpoint = renaming(
  `${hooks}/RotateWebhookSecret`,
  `${hooks}/RenameWebhookEndpoint`,
  `${hooks}/CreateWebhookEndpoint`,
);

const findSecrets: SyntheticRpc = {
  name: `${inAlpha}/FindSecrets`,
  facts: factsLike(`${inAlpha}/ListSecrets`),
  request: [...rpc(`${inAlpha}/ListSecrets`).input.fields, "prefix"],
  response: rpc(`${inAlpha}/ListSecrets`).output.fields,
};

/** Reads something of a job, and shows no record of it. */
const getJobLog: SyntheticRpc = {
  name: `${jobs}/GetJobLog`,
  facts: factsLike(`${jobs}/GetJob`),
  request: rpc(`${jobs}/GetJob`).input.fields,
  response: ["log"],
};

/** Changes a job that goes on, and does not cancel it. */
const prioritizeJob: SyntheticRpc = {
  name: `${jobs}/PrioritizeJob`,
  facts: { ...factsLike(`${jobs}/CancelJob`), change: Change.SETS },
  request: [...rpc(`${jobs}/CancelJob`).input.fields, "priority"],
  response: rpc(`${jobs}/CancelJob`).output.fields,
};

/** A stream of numbered events, of something else than a run. */
const watchSession: SyntheticRpc = {
  name: "beta.v1.SessionService/WatchSession",
  stream: true,
  facts: { ...factsLike("beta.v1.SessionService/GetSession"), effect: Effect.WATCH },
  request: [
    ...rpc("beta.v1.SessionService/GetSession").input.fields,
    ...fieldsOf("beta.v1.RunService/WatchRun", "input", "afterSequence"),
  ],
  response: rpc("beta.v1.RunService/WatchRun").output.fields,
};

const added = [renameInAlpha, renameInBeta, renameEndpoint, findSecrets, getJobLog, prioritizeJob, watchSession];

/** What every RPC is asked. */
const ofAny = [
  "auth/bad-credential-is-refused",
  "auth/scope-is-enforced",
  "input/every-legal-spelling-is-served",
  "input/malformed-body-is-refused",
  "input/unknown-ids-are-refused",
  "input/values-of-the-wrong-type-are-refused",
  "isolation/other-workspace-is-refused",
  "lifecycle/valid-call-is-served",
  "secrecy/nothing-secret-comes-back",
  "secrecy/planted-secrets-stay-hidden",
  "transport/foreign-types-and-codings-are-refused",
  "transport/only-its-own-path-and-post-run-an-rpc",
  "transport/what-exists-is-told-from-what-does-not",
  "wire/error-details-are-well-formed",
  "wire/messages-have-contract-form",
];

/** What every RPC is asked that changes nothing. */
const ofReads = [
  "input/fields-left-out-are-answered",
  "transport/framing-changes-nothing",
  "transport/legal-headers-are-served",
  "transport/malformed-timeouts-are-answered",
  "transport/protocol-version-1-is-served",
];

/** What every conditional update is asked that shows its record. */
const ofUpdates = [
  "idempotency/replay-by-a-stranger-is-refused",
  "isolation/foreign-ids-disclose-nothing",
  "lifecycle/replies-agree",
  "lifecycle/updates-are-dated",
  "transport/unary-replies-have-connect-form",
  "version/many-race-for-one-version",
  "version/mutation-advances-it",
  "version/not-current-is-refused",
  "version/omission-is-observed",
  "wire/records-are-filled",
  "wire/records-are-the-ones-asked-for",
  "wire/records-show-what-was-stored",
];

/** What an update is asked besides that sets a name of what nothing but a call changes: no rotation. */
const ofRenames = [
  "idempotency/changed-mutation-is-not-pretended",
  "idempotency/repeated-mutation-has-one-effect",
  "idempotency/replay-in-another-spelling-has-one-effect",
  "idempotency/replayed-mutation-does-not-come-back",
  "idempotency/request-id-does-not-cross-rpcs",
  "idempotency/request-id-of-a-refusal-is-not-pretended",
  "input/names-are-any-text",
  "version/stale-is-refused",
];

/** What RPCs are asked that several kinds of credential may call, about one customer user. */
const ofUsers = [
  "auth/listed-kinds-are-served",
  "auth/other-kinds-are-refused",
  "auth/scope-is-enforced-for-each-kind",
  "isolation/named-user-bounds-a-backend-key",
  "isolation/other-users-token-is-refused",
];

/** What each is asked, and nothing else. */
const expected: readonly (readonly [rpc: SyntheticRpc, cases: readonly string[]])[] = [
  [renameInAlpha, [...ofAny, ...ofUpdates, ...ofRenames]],
  [renameInBeta, [...ofAny, ...ofUpdates, ...ofRenames, ...ofUsers]],
  [renameEndpoint, [...ofAny, ...ofUpdates, ...ofRenames]],
  [
    findSecrets,
    [
      ...ofAny,
      ...ofReads,
      "input/edge-values-are-answered",
      "isolation/cursor-does-not-cross",
      "isolation/later-pages-show-own-records-only",
      "isolation/listing-shows-own-records-only",
      "lifecycle/replies-agree",
      "lifecycle/shown-version-is-taken",
      "paging/empty-cursor-is-the-first-page",
      "paging/listings-keep-to-the-request",
      "paging/page-of-one-has-a-cursor-for-more",
      "paging/traversal-shows-each-item-once",
      "transport/unary-replies-have-connect-form",
      "version/reading-keeps-it",
      "wire/records-are-filled",
      "wire/records-are-the-ones-asked-for",
    ],
  ],
  [
    getJobLog,
    [
      ...ofAny,
      ...ofReads,
      "isolation/foreign-ids-disclose-nothing",
      "transport/unary-replies-have-connect-form",
      "version/reading-keeps-it",
    ],
  ],
  [prioritizeJob, [...ofAny, ...ofUpdates, "lifecycle/job-records-hold-together"]],
  [
    watchSession,
    [
      ...ofAny,
      ...ofReads,
      ...ofUsers,
      "isolation/expired-token-is-refused-everywhere",
      "isolation/foreign-ids-disclose-nothing",
      "stream/abandoned-streams-are-released",
      "stream/request-is-one-whole-envelope",
      "stream/sequence-rises",
      "stream/slow-reader-loses-nothing",
      "transport/stream-replies-have-connect-form",
    ],
  ],
];

const cases = await loadCases();
const planned = planInstances(cases, packageNames, rowsWith(added));

describe("RPCs the contract does not have get the rules that fit", () => {
  test.each(expected.map(([{ name }, ids]) => ({ name, ids })))("$name", ({ name, ids }) => {
    const own = planned.filter(({ row }) => row.name === name).map((instance) => instance.case.id);
    expect(own.toSorted()).toEqual(ids.toSorted());
  });

  test("and change those of no other", () => {
    const nameOf = (one: Instance) => `${one.case.id} ${one.row.name}`;
    const others = planned.filter(({ row }) => !added.some(({ name }) => name === row.name));
    expect(others.map(nameOf)).toEqual(planInstances(cases, packageNames).map(nameOf));
  });
});
