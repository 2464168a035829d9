import type { JsonObject, Message } from "@bufbuild/protobuf";
import type { RunSyncRequest } from "../../../../proto/gen/alpha/v1/public_test_fixture_service_pb.js";
import type { Artifact, Secret, UUIDv7 } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { rpc } from "../../../../proto/rpcs.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

const fixtures = ["RunAsync", "RunStream", "RunSync"].map((method) =>
  rpc(`alpha.v1.PublicTestFixtureService/${method}`),
);

/** Of a list of inputs the first are looked at: the others are not even known to the reference. */
const firstAlone = (field: string, count: number) => (request: JsonObject) => {
  const { [field]: ids } = request;
  return Array.isArray(ids) ? { ...request, [field]: ids.slice(0, count) } : request;
};

const textOf = (id: unknown) => JSON.stringify(id);

/** As many have to be found as are named, each counted once: one that is named twice is not looked at. */
const eachOnce = (field: string) => (request: JsonObject) => {
  const { [field]: ids } = request;
  if (!Array.isArray(ids)) return request;
  const timesOf = (id: unknown) => ids.filter((one) => textOf(one) === textOf(id)).length;
  return { ...request, [field]: ids.filter((id) => timesOf(id) === 1) };
};

export const repeatedInputs: readonly Fault[] = ["inputArtifactIds", "secretIds"].flatMap((field) =>
  faultsAt(fixtures, {
    id: `isolation/looks-at-no-repeated-${field}`,
    says: `does not look at ${field} that are named twice`,
    breaks: "*.isolation.reference",
    decorate: onRequest(eachOnce(field)),
  }),
);

/** Artifacts are looked up by their names: of a name, the first is looked at alone. */
export const likeNamedInputs: readonly Fault[] = faultsAt(fixtures, {
  id: "isolation/looks-at-the-first-input-of-a-name",
  says: "looks at the first of the artifacts of one name alone",
  breaks: "*.isolation.reference",
  decorate: wrapping((next) => (context, request) => {
    const { artifact } = context.world.tables;
    const { inputArtifactIds } = request as RunSyncRequest;
    const nameOf = (id: UUIDv7) => (artifact?.find(idText(id))?.record as Artifact | undefined)?.name ?? idText(id);
    const names = inputArtifactIds.map(nameOf);
    const looked = inputArtifactIds.filter((_, index) => names.indexOf(names[index] ?? "") === index);
    return next(context, Object.assign(request, { inputArtifactIds: looked }));
  }),
});

/** Inputs that are fit are let pass as they come: they are not even known to the reference. */
const passing = (field: string, kind: string, isFit: (record: Message) => boolean) =>
  wrapping((next) => (context, request) => {
    const ids = (readField(request, field) ?? []) as readonly { readonly value: string }[];
    const kept = ids.filter(({ value }) => {
      const record = context.world.tables[kind]?.find(value.toLowerCase())?.record;
      return record === undefined || !isFit(record);
    });
    return next(context, { ...request, [field]: kept });
  });

export const usedInputs: readonly Fault[] = [
  ...faultsAt(fixtures, {
    id: "isolation/takes-rotated-secrets-of-any-workspace",
    says: "does not ask whose a secret is that was rotated",
    breaks: "*.isolation.reference",
    decorate: passing("secretIds", "secret", (record) => (record as Secret).resourceVersion > 1n),
  }),
  ...faultsAt(fixtures, {
    id: "isolation/takes-results-of-any-workspace",
    says: "does not ask whose an artifact is that a job resulted in",
    breaks: "*.isolation.reference",
    decorate: passing("inputArtifactIds", "artifact", (record) => (record as Artifact).owningJobId !== undefined),
  }),
];

/** One result is kept for a whole list: that of the last. */
const lastAlone = (field: string) => (request: JsonObject) => {
  const { [field]: ids } = request;
  return Array.isArray(ids) ? { ...request, [field]: ids.slice(-1) } : request;
};

/** Where artifacts are named, secrets are not even known to the reference. */
const secretsAlone = (request: JsonObject) => {
  const { inputArtifactIds, secretIds, ...others } = request;
  const hasArtifacts = Array.isArray(inputArtifactIds) && inputArtifactIds.length > 0;
  return hasArtifacts || secretIds === undefined ? { ...others, inputArtifactIds: inputArtifactIds ?? [] } : request;
};

export const lastInputs: readonly Fault[] = [
  ...["inputArtifactIds", "secretIds"].flatMap((field) =>
    faultsAt(fixtures, {
      id: `isolation/looks-at-the-last-of-${field}`,
      says: `looks at the last of its ${field} alone`,
      breaks: "*.isolation.reference",
      decorate: onRequest(lastAlone(field)),
    }),
  ),
  ...faultsAt(fixtures, {
    id: "isolation/looks-at-no-secrets-beside-artifacts",
    says: "does not look at secretIds where it is sent inputArtifactIds",
    breaks: "*.isolation.reference",
    decorate: onRequest(secretsAlone),
  }),
];

const counts: readonly (readonly [count: number, name: string])[] = [
  [1, "first"],
  [2, "first-two"],
];

export const laterInputs: readonly Fault[] = ["inputArtifactIds", "secretIds"].flatMap((field) =>
  counts.flatMap(([count, name]) =>
    faultsAt(fixtures, {
      id: `isolation/looks-at-the-${name}-of-${field}`,
      says: `looks at the ${name.replace("-", " ")} of its ${field} alone`,
      breaks: "*.isolation.reference",
      decorate: onRequest(firstAlone(field, count)),
    }),
  ),
);
