import type { JsonObject } from "@bufbuild/protobuf";
import { idKey } from "../edit.ts";
import { type EitherDecoration, type Fault, rowsOf } from "../fault.ts";
import { faultsAt } from "../table.ts";

const fixtures = rowsOf("alpha.v1").filter((row) => row.fixture);

/** Passes over inputs that were deleted, and so takes them. */
const takingDeleted =
  (removal: string, named: string, field: string) =>
  ({ name }: { readonly name: string }): EitherDecoration => {
    const deleted = new Set<string>();
    return {
      request(json, { rpc }) {
        const { [field]: ids } = json;
        if (rpc !== name || !Array.isArray(ids)) return json;
        return { ...json, [field]: ids.filter((id) => !deleted.has(idKey(id))) };
      },
      reply(json: JsonObject, { rpc }) {
        if (rpc === removal) deleted.add(idKey(json[named]));
        return json;
      },
    };
  };

/** Inputs that are taken though they were deleted. */
export const deletedInputs: readonly Fault[] = [
  ...faultsAt(fixtures, {
    id: "lifecycle/takes-deleted-secrets",
    says: "takes secrets that were deleted",
    breaks: "*.deletion.effective",
    decorate: takingDeleted("alpha.v1.SecretService/DeleteSecret", "secretId", "secretIds"),
  }),
  ...faultsAt(fixtures, {
    id: "lifecycle/takes-deleted-artifacts",
    says: "takes artifacts that were deleted",
    breaks: "*.deletion.effective",
    decorate: takingDeleted("alpha.v1.ArtifactService/DeleteArtifact", "artifactId", "inputArtifactIds"),
  }),
];
