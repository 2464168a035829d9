import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import { onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";

const fixtures = ["RunAsync", "RunStream", "RunSync"].map((method) =>
  rpc(`alpha.v1.PublicTestFixtureService/${method}`),
);

/** Of a list of inputs the first so many are looked at: the others are not even known to the reference. */
const firstOf = (field: string, count: number) => (request: JsonObject) => {
  const { [field]: ids } = request;
  return Array.isArray(ids) ? { ...request, [field]: ids.slice(0, count) } : request;
};

export const laterInputs: readonly Fault[] = ["inputArtifactIds", "secretIds"].flatMap((field) => [
  ...faultsAt(fixtures, {
    id: `isolation/looks-at-the-first-of-${field}`,
    says: `looks at the first of its ${field} alone`,
    breaks: "*.isolation.reference",
    decorate: onRequest(firstOf(field, 1)),
  }),
  ...faultsAt(fixtures, {
    id: `isolation/looks-at-the-first-two-of-${field}`,
    says: `looks at the first two of its ${field} alone`,
    breaks: "*.isolation.reference",
    decorate: onRequest(firstOf(field, 2)),
  }),
]);
