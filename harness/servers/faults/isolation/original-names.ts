import { subjectFieldOf } from "../../../../proto/resources.ts";
import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { usesOriginalNames } from "../auth/request-forms.ts";
import { onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { without } from "../values.ts";
import { findingAnywhere, findingOfAnyUser } from "./finding.ts";
import { isolationClause, ofUsers } from "./tenants.ts";

/** Rows about one record of a workspace's own, of those that are named by a field with two names. */
const named = rpcs.filter(
  (row) => !row.published && row.list === undefined && /[A-Z]/.test(subjectFieldOf(row) ?? "") && !row.fixture,
);

/** Tools of another app are refused, whoever's record it is. */
const namesNoTools = ({ ids }: RpcRow) => !ids.some(({ facts }) => facts.names === "tool");

/** Ids that are looked for by their usual names alone, where it is asked whose they are. */
export const originalNames: readonly Fault[] = [
  ...faultsAt(named.filter(namesNoTools), {
    id: "isolation/finds-anywhere-by-original-name",
    says: "does not ask whose a record is whose id is sent by the field's original name",
    breaks: isolationClause,
    decorate: findingAnywhere((_record, _entry, context) => usesOriginalNames(context)),
  }),
  ...faultsAt(named.filter(ofUsers), {
    id: "isolation/finds-for-any-user-by-original-name",
    says: "does not ask which user a record is of whose id is sent by the field's original name",
    breaks: (row) => isolationClause(row, "user-"),
    decorate: findingOfAnyUser((_record, _entry, context) => usesOriginalNames(context)),
  }),
  ...["input_artifact_ids", "secret_ids"].flatMap((field) =>
    faultsAt(
      rpcs.filter(({ fixture }) => fixture),
      {
        id: `isolation/looks-at-no-${field.replaceAll("_", "-")}`,
        says: `does not look at inputs that are sent as ${field}`,
        breaks: "*.isolation.reference",
        decorate: onRequest((request) => without(request, field)),
      },
    ),
  ),
];
