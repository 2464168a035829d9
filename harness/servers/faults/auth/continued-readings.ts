import type { JsonObject } from "@bufbuild/protobuf";
import { otherKindsOf } from "../../../../proto/resources.ts";
import { CredentialKind, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { textIn } from "../values.ts";
import { anybodyWhere, anyKindWhere, noScopeWhere } from "./any-kind.ts";

/** Whether a call goes on with a reading: a stream after a place in it, a listing with a cursor. */
function goesOn({ row, call }: Context): boolean {
  const request: JsonObject = call.request;
  const after = row.resumeAfter === undefined ? "" : textIn(request, row.resumeAfter.name);
  return (after !== "" && after !== "0") || textIn(request, "page.cursor") !== "";
}

const canGoOn = (row: RpcRow) => row.resumeAfter !== undefined || row.list !== undefined;
const takesKeys = ({ credentials }: RpcRow) =>
  credentials.includes(CredentialKind.API_KEY) || credentials.includes(CredentialKind.BACKEND_KEY);
const takesTokens = (row: RpcRow) =>
  canGoOn(row) &&
  row.credentials.includes(CredentialKind.BROWSER_TOKEN) &&
  row.ids.some(({ facts }) => facts.names === "customer_user");

/** What began with a check goes on without it: the cursor, or the place in the stream, is taken for proof. */
export const uncheckedContinuations: readonly Fault[] = [
  ...faultsAt(rpcs.filter(canGoOn), {
    id: "auth/goes-on-without-scope",
    says: "asks for no scope where a reading goes on",
    breaks: "*.auth.scope",
    decorate: noScopeWhere(goesOn),
  }),
  ...faultsAt(rpcs.filter(canGoOn), {
    id: "auth/goes-on-for-anybody",
    says: "asks for no credential where a reading goes on",
    breaks: "*.auth.required",
    decorate: anybodyWhere(goesOn),
  }),
  ...faultsAt(
    rpcs.filter((row) => canGoOn(row) && otherKindsOf(row).length > 0),
    {
      id: "auth/goes-on-for-every-kind",
      says: "takes a credential of any kind where a reading goes on",
      breaks: "*.auth.kinds",
      entails: ["*.auth.scope"],
      decorate: anyKindWhere(goesOn),
    },
  ),
  ...faultsAt(
    rpcs.filter((row) => row.list !== undefined && !row.published && takesKeys(row)),
    {
      id: "isolation/goes-on-for-another-workspace",
      says: "takes another workspace's key where a listing goes on",
      breaks: "*.isolation.list",
      decorate: replacing((parts) => ({
        authorizeWorkspace(context) {
          if (!goesOn(context)) parts.authorizeWorkspace(context);
        },
        authorizeApp(context) {
          if (!goesOn(context)) parts.authorizeApp(context);
        },
      })),
    },
  ),
  ...faultsAt(rpcs.filter(takesTokens), {
    id: "isolation/goes-on-for-another-user",
    says: "takes another user's token where a reading goes on",
    breaks: (row) => (row.list === undefined ? "*.isolation.user-stream" : "*.isolation.user-list"),
    decorate: replacing((parts) => ({
      authorizeUser(context) {
        if (!goesOn(context)) parts.authorizeUser(context);
      },
    })),
  }),
];
