import type { JsonObject } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { namedId } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { isolationClause } from "./tenants.ts";

/** Asks whose the record is that a field names by its usual name, and takes the one that it names by its original name beside that. */
function takingTheOriginalName({ name, ids, subject }: RpcRow): SharedDecoration {
  const own = ids.find(({ facts }) => facts.names === subject);
  const [usual, original] = [own?.name ?? "", own?.field.name ?? ""];
  const taken = new Map<string, string>();
  return {
    request(json, { rpc: asked }) {
      const { [original]: other, ...rest } = json;
      if (asked !== name || rest[usual] === undefined || other === undefined) return json;
      const [guarded, meant] = [rest[usual], other].map((id) => String((id as JsonObject).value));
      taken.set(guarded ?? "", meant ?? "");
      return rest;
    },
    parts: ({ findSubject }) => ({
      findSubject(context) {
        const found = findSubject(context);
        const id = namedId(context) ?? "";
        const other = context.row.name === name ? context.world.tables[subject]?.find(taken.get(id) ?? "") : undefined;
        taken.delete(id);
        return other === undefined || other.deleted ? found : other.record;
      },
    }),
  };
}

/** One record is asked about, another is taken. */
export const takenBeside: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/GetSecret",
    "alpha.v1.JobService/CancelJob",
    "alpha.v1.JobService/WatchJob",
    "alpha.v1.ArtifactService/DeleteArtifact",
    "alpha.v1.WebhookService/UpdateWebhookEndpoint",
  ].map(rpc),
  {
    id: "isolation/takes-the-record-of-the-original-name",
    says: "asks whose the record is that a field names, and takes the one that it names by its original name beside that",
    breaks: isolationClause,
    decorate: takingTheOriginalName,
  },
);
