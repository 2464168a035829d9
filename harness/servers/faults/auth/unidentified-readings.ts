import { clone, type Message } from "@bufbuild/protobuf";
import { CredentialKind, Effect, isReadOnly, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { findingOfAnyUser } from "../isolation/finding.ts";
import { isolationClause } from "../isolation/tenants.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { anybodyWhere, noScopeWhere } from "./any-kind.ts";

const isUnidentified = ({ call }: Context) => (call.request.requestId ?? undefined) === undefined;

/** Serves readings without a requestId, beside what else it does. */
const serving = (decorate: (row: RpcRow) => EitherDecoration) => (row: RpcRow) =>
  ({ ...decorate(row), choices: { readsNeedRequestId: false } }) as EitherDecoration;

/** Answers whatever is not told apart by a requestId as it answered the first of it, once it knows who calls. */
const answeringTheFirst = replacing((parts) => {
  let first: Message | undefined;
  return {
    async idempotent(context, effect) {
      if (!isUnidentified(context)) return parts.idempotent(context, effect);
      first ??= (await effect()) as Message;
      return clone(context.row.output, first);
    },
  };
});

const readings = rpcs.filter((row) => isReadOnly(row) && row.requestId !== undefined);
const ofUsers = readings.filter(({ credentials }) => credentials.includes(CredentialKind.BROWSER_TOKEN));

/** The requestId is what a call is known by: one without it is not looked up. */
export const unidentifiedReadings: readonly Fault[] = [
  ...faultsAt(readings, {
    id: "auth/unidentified-reading-needs-no-scope",
    says: "asks for no scope where there is no requestId",
    breaks: "*.auth.scope",
    decorate: serving(noScopeWhere(isUnidentified)),
  }),
  ...faultsAt(readings, {
    id: "auth/unidentified-reading-needs-no-key",
    says: "asks for no credential where there is no requestId",
    breaks: "*.auth.required",
    decorate: serving(anybodyWhere(isUnidentified)),
  }),
  ...faultsAt(
    ofUsers.filter(({ list, record, stream }) => !stream && (list ?? record) !== undefined),
    {
      id: "isolation/unidentified-readings-are-one",
      says: "answers every call without a requestId as it answered the first",
      breaks: (row) => isolationClause(row, "user-"),
      entails: ["*.records.identity", "*.isolation.named-user"],
      decorate: serving(answeringTheFirst),
    },
  ),
  ...faultsAt(
    ofUsers.filter(({ list }) => list !== undefined),
    {
      id: "isolation/unidentified-reading-is-anybodys",
      says: "takes another user's token where there is no requestId",
      breaks: "*.isolation.user-list",
      decorate: serving(
        replacing(({ authorizeUser }) => ({
          authorizeUser(context) {
            if (!isUnidentified(context)) authorizeUser(context);
          },
        })),
      ),
    },
  ),
  ...faultsAt(
    ofUsers.filter((row) => row.effect === Effect.READ && row.ids.some(({ facts }) => facts.names === row.subject)),
    {
      id: "isolation/unidentified-reading-is-anybodys",
      says: "finds another user's record where there is no requestId",
      breaks: "*.isolation.user-read",
      decorate: serving(findingOfAnyUser((_record, _entry, context) => isUnidentified(context))),
    },
  ),
];
