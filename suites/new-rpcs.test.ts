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
  "auth/bad-caller-is-refused-beside-a-good-one",
  "auth/bad-credential-is-refused",
  "auth/credentials-are-checked-in-another-workspace-too",
  "auth/scope-is-enforced",
  "input/equivalent-json-is-accepted",
  "input/malformed-body-is-refused",
  "input/unknown-ids-are-refused",
  "input/values-of-the-wrong-type-are-refused",
  "isolation/other-spellings-of-a-workspace-open-nothing",
  "isolation/other-workspace-is-refused",
  "lifecycle/valid-call-is-served",
  "secrecy/no-reply-contains-a-secret",
  "secrecy/stored-secrets-are-never-revealed",
  "transport/unknown-media-types-and-encodings-are-refused",
  "transport/wrong-path-or-http-method-runs-nothing",
  "transport/rpc-is-distinguishable-from-unknown-paths",
  "wire/error-details-are-well-formed",
  "wire/messages-have-contract-form",
];

/** What every RPC is asked that changes nothing. */
const ofReads = [
  "input/missing-or-unknown-fields-cause-no-server-error",
  "transport/request-chunking-and-compression-change-nothing",
  "transport/legal-headers-are-accepted",
  "transport/malformed-timeouts-are-answered",
  "transport/protocol-version-1-is-served",
];

/** What every conditional update is asked that shows its record. */
const ofUpdates = [
  "auth/refused-call-has-no-late-effect",
  "idempotency/replay-by-an-unauthorized-caller-is-refused",
  "idempotency/reused-request-id-with-a-wrong-version-is-not-a-replay",
  "isolation/ids-of-another-workspace-disclose-nothing",
  "isolation/older-records-are-guarded-as-new-ones",
  "lifecycle/mutation-changes-no-other-record",
  "lifecycle/records-are-consistent-across-rpcs",
  "lifecycle/updates-move-the-update-time",
  "lifecycle/updates-set-the-update-time",
  "transport/unary-replies-have-connect-form",
  "version/concurrent-mutations-have-one-winner",
  "version/mutation-advances-the-version",
  "version/not-current-is-refused",
  "version/missing-expected-version-is-observed",
  "version/stale-is-refused-though-nothing-would-change",
  "version/version-of-a-related-record-is-refused",
  "wire/records-have-their-expected-fields",
  "wire/records-match-the-requested-resource",
  "wire/records-show-what-was-stored",
];

/** What an update is asked besides that sets a name of what nothing but a call changes: no rotation. */
const ofRenames = [
  "idempotency/reused-request-id-with-new-version-is-not-a-replay",
  "idempotency/replayed-mutation-has-one-effect",
  "lifecycle/long-texts-are-listed-whole",
  "idempotency/replay-in-equivalent-json-has-one-effect",
  "idempotency/replay-of-a-mutation-after-a-change-has-no-effect",
  "idempotency/request-id-is-rpc-scoped",
  "idempotency/reused-request-id-after-a-refusal-is-not-a-replay",
  "input/odd-spellings-are-stored-as-sent",
  "input/unicode-names-are-stored-unchanged",
  "lifecycle/deleted-resource-is-not-brought-back",
  "transport/text-cut-within-characters-is-read-whole",
  "version/stale-is-refused",
  "version/stale-of-fewer-digits-is-refused",
  "isolation/like-record-of-another-workspace-stays-as-it-is",
  "isolation/like-record-opens-none-of-another-workspace",
  "version/earlier-versions-are-refused-to-who-was-shown-them",
  "version/version-refused-before-is-taken-once-it-is-current",
];

/** What every RPC of alpha.v1 is asked besides: what its refusals list is said there alone. */
const ofAnyInAlpha = ["input/violation-names-the-field-that-offends"];

/** What such an update is asked in alpha.v1 besides. */
const ofRenamesInAlpha = [
  "isolation/ids-of-records-of-other-kinds-are-refused",
  "isolation/record-named-beside-an-own-one-is-not-reached",
];

/** What RPCs are asked that several kinds of credential may call, about one customer user. */
const ofUsers = [
  "auth/allowed-credential-kinds-are-accepted",
  "auth/other-credential-kinds-are-refused",
  "auth/scope-is-enforced-for-each-credential-kind",
  "isolation/backend-key-is-limited-to-the-named-user",
  "isolation/every-credential-kind-is-refused-records-of-another-workspace",
  "isolation/other-spellings-of-a-user-open-nothing",
  "isolation/other-users-token-is-refused",
  "isolation/user-with-the-like-is-refused-anothers-record",
];

/** What an update is asked besides of a kind of record that there are further states of. */
const inOtherStates = [
  "auth/scope-is-enforced-in-other-states",
  "isolation/records-in-other-states-are-not-changed-from-elsewhere",
  "version/not-current-is-refused-in-other-states",
];

/** What every RPC is asked that shows secrets. */
const ofSecrets = ["secrecy/secret-record-tells-nothing-of-its-value"];

/** What each is asked, and nothing else. */
const expected: readonly (readonly [rpc: SyntheticRpc, cases: readonly string[]])[] = [
  [
    renameInAlpha,
    [...ofAny, ...ofAnyInAlpha, ...ofUpdates, ...ofRenames, ...ofRenamesInAlpha, ...ofSecrets, ...inOtherStates],
  ],
  [
    renameInBeta,
    [
      ...ofAny,
      ...ofUpdates,
      ...ofRenames,
      ...ofUsers,
      "isolation/calls-of-two-users-at-once-are-told-apart",
      "isolation/like-record-of-another-user-stays-as-it-is",
      ...ofSecrets,
      ...inOtherStates,
      "auth/what-each-credential-kind-does-is-seen-by-another",
      "idempotency/replay-by-each-credential-kind-has-one-effect",
    ],
  ],
  [
    renameEndpoint,
    [
      ...ofAny,
      ...ofAnyInAlpha,
      ...ofUpdates,
      ...ofRenames,
      ...ofRenamesInAlpha,
      ...inOtherStates,
      "events/refused-change-cancels-no-deliveries",
      "events/refused-change-stops-no-deliveries",
      "version/not-current-is-refused-once-an-endpoint-has-had-a-delivery",
      "version/stale-is-refused-where-one-field-has-changed",
    ],
  ],
  [
    findSecrets,
    [
      ...ofAny,
      ...ofAnyInAlpha,
      ...ofReads,
      ...ofSecrets,
      "input/edge-values-cause-no-server-error",
      "input/odd-cursors-cause-no-server-error",
      "isolation/changed-records-are-not-shown-elsewhere",
      "isolation/cursor-is-tenant-scoped",
      "isolation/later-pages-show-own-records-only",
      "isolation/like-record-opens-none-of-another-workspace",
      "isolation/listing-shows-own-records-only",
      "isolation/listing-without-a-workspace-shows-own-records-only",
      "isolation/readings-of-two-workspaces-at-once-are-told-apart",
      "lifecycle/further-records-are-listed-as-they-are-read",
      "lifecycle/records-are-consistent-across-rpcs",
      "lifecycle/shown-version-is-accepted-by-a-mutation",
      "paging/changes-between-pages-hide-and-repeat-nothing",
      "paging/empty-cursor-is-the-first-page",
      "paging/listings-respect-filters-and-page-size",
      "paging/partial-page-has-a-next-cursor",
      "paging/records-of-one-name-are-all-listed",
      "paging/traversal-shows-each-item-once",
      "transport/empty-body-is-not-decompressed",
      "transport/first-offered-coding-is-preferred",
      "transport/served-get-is-answered-like-post",
      "transport/unary-replies-have-connect-form",
      "version/reads-keep-the-version",
      "wire/records-have-their-expected-fields",
      "wire/records-match-the-requested-resource",
    ],
  ],
  [
    getJobLog,
    [
      ...ofAny,
      ...ofAnyInAlpha,
      ...ofReads,
      "isolation/deleted-records-of-another-workspace-are-refused",
      "isolation/ids-of-another-workspace-disclose-nothing",
      "isolation/ids-of-records-of-other-kinds-are-refused",
      "isolation/record-named-beside-an-own-one-is-not-reached",
      "isolation/jobs-and-results-of-another-workspace-are-refused",
      "auth/readings-in-other-states-are-guarded",
      "isolation/older-records-are-guarded-as-new-ones",
      "isolation/work-that-is-being-canceled-is-refused-elsewhere",
      "transport/served-get-is-answered-like-post",
      "transport/unary-replies-have-connect-form",
      "version/reads-keep-the-version",
    ],
  ],
  [
    prioritizeJob,
    [
      ...ofAny,
      ...ofAnyInAlpha,
      ...ofUpdates,
      "isolation/ids-of-records-of-other-kinds-are-refused",
      "isolation/record-named-beside-an-own-one-is-not-reached",
      "lifecycle/job-records-are-consistent",
    ],
  ],
  [
    watchSession,
    [
      ...ofAny,
      ...ofReads,
      ...ofUsers,
      "isolation/deleted-records-of-another-workspace-are-refused",
      "isolation/expired-token-is-refused-everywhere",
      "isolation/ids-of-another-workspace-disclose-nothing",
      "auth/readings-in-other-states-are-guarded",
      "isolation/older-records-are-guarded-as-new-ones",
      "stream/abandoned-streams-are-released",
      "stream/deadline-ends-a-stream-as-deadline-exceeded",
      "stream/long-open-streams-keep-their-form",
      "stream/streams-end-with-an-end-stream",
      "stream/request-must-be-one-complete-envelope",
      "stream/sequence-is-strictly-increasing",
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
