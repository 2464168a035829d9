import { rpc } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import type { Fault } from "../fault.ts";
import { isolationClause } from "../isolation/tenants.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** True for a call whose body has to be unpacked before anything of it is known. */
const isPacked = ({ call: { headers }, row }: Context) =>
  headers[row.stream ? "connect-content-encoding" : "content-encoding"] === "gzip";

const rows = [
  "alpha.v1.SecretService/GetSecret",
  "alpha.v1.SecretService/RotateSecret",
  "alpha.v1.JobService/ListJobs",
  "alpha.v1.JobService/WatchJob",
  "beta.v1.SessionService/GetSession",
].map(rpc);

export const packedUnasked: readonly Fault[] = faultsAt(rows, {
  id: "auth/asks-no-credential-of-gzip",
  says: "serves compressed requests without a credential, as if of who may do everything",
  breaks: "*.auth.required",
  decorate: replacing(({ authenticate }) => ({
    authenticate(context) {
      const all = [...context.world.principals.values()];
      const [first] = all.filter(({ scopes }) => scopes.has(context.row.scope));
      const isUnnamed = isPacked(context) && context.call.headers.authorization === undefined;
      return isUnnamed && first !== undefined ? first : authenticate(context);
    },
  })),
});

export const packedUnscoped: readonly Fault[] = faultsAt(rows, {
  id: "auth/asks-no-scope-of-gzip",
  says: "serves compressed requests to keys of any scopes",
  breaks: "*.auth.scope",
  decorate: replacing(({ authorizeScope }) => ({
    authorizeScope(context) {
      if (!isPacked(context)) authorizeScope(context);
    },
  })),
});

export const packedElsewhere: readonly Fault[] = faultsAt(rows, {
  id: "isolation/takes-gzip-from-anywhere",
  says: "does not ask compressed requests whether the workspace they name is their key's",
  breaks: isolationClause,
  decorate: replacing(({ authorizeWorkspace, authorizeApp }) => ({
    authorizeWorkspace(context) {
      if (!isPacked(context)) authorizeWorkspace(context);
    },
    authorizeApp(context) {
      if (!isPacked(context)) authorizeApp(context);
    },
  })),
});
