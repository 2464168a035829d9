import type { Message } from "@bufbuild/protobuf";
import { CredentialKind, Effect, rpcs } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { entryNamed, isolationClause, ofUsers } from "./tenants.ts";

/** Rows about one record of a user of a kind that is changed, or gets another value, once it is made. */
const changeable = rpcs.filter(
  (row) =>
    ofUsers(row) &&
    ["secret", "memory_item"].includes(row.subject) &&
    row.effect !== Effect.LIST &&
    row.ids.some(({ facts }) => facts.names === row.subject),
);

/** Records that were changed are found in the whole app, whosever they are, by callers of one kind. */
const findingChanged = (kind: CredentialKind) =>
  replacing((parts) => ({
    findSubject(context): Message | undefined {
      const entry = context.principal?.kind === kind ? entryNamed(context) : undefined;
      const isFound =
        entry !== undefined &&
        !entry.deleted &&
        entry.tenant.appId === context.tenant.appId &&
        (entry.record as Message & { readonly resourceVersion: bigint }).resourceVersion > 1n;
      return isFound ? entry.record : parts.findSubject(context);
    },
  }));

export const changedUserRecords: readonly Fault[] = [
  ...faultsAt(changeable, {
    id: "isolation/finds-changed-records-of-any-user-for-keys",
    says: "finds what was changed once by its id, whichever user it is of, for a backend key",
    breaks: "*.isolation.named-user",
    decorate: findingChanged(CredentialKind.BACKEND_KEY),
  }),
  ...faultsAt(changeable, {
    id: "isolation/finds-changed-records-of-any-user-for-tokens",
    says: "finds what was changed once by its id, whichever user it is of, for a browser token",
    breaks: (row) => isolationClause(row, "user-"),
    decorate: findingChanged(CredentialKind.BROWSER_TOKEN),
  }),
];
