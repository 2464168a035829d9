import type { JsonObject, Message } from "@bufbuild/protobuf";
import type { Artifact, Secret } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { rpc } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
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
