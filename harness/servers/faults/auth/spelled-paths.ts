import type { IncomingMessage } from "node:http";
import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context, Principal } from "../../reference/core/context.ts";
import type { CoreParts } from "../../reference/core/parts.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";

const mark = "x-spelled";

/** Serves an RPC under another spelling of its path too, where nobody asks for a credential. */
const unguarded =
  (fits: (url: string, path: string) => boolean) =>
  (row: RpcRow): EitherDecoration => ({
    raw(request: IncomingMessage, _response: unknown, next: () => void) {
      if (request.url !== row.path && fits(request.url ?? "", row.path)) {
        request.url = row.path;
        request.headers[mark] = "1";
      }
      next();
    },
    parts: (parts: CoreParts) => ({
      authenticate(context: Context) {
        const one = [...context.world.principals.values()].find(({ scopes }: Principal) =>
          scopes.has(context.row.scope),
        );
        return context.call.headers[mark] === undefined || one === undefined ? parts.authenticate(context) : one;
      },
    }),
  });

/** The guard compares paths as they are written, the router does not. */
export const spelledPaths: readonly Fault[] = [
  ...faultsAt(
    rpcs.filter(({ package: name, stream }) => name === "alpha.v1" && !stream),
    {
      id: "auth/open-behind-a-slash",
      says: "asks for no credential where the path ends in a slash",
      breaks: "*.auth.required",
      decorate: unguarded((url, path) => url === `${path}/`),
    },
  ),
  ...faultsAt(
    rpcs.filter(({ method }) => method === "GetSecret" || method === "ListSessions"),
    {
      id: "auth/open-when-escaped",
      says: "asks for no credential where the path has an escape in it",
      breaks: "*.auth.required",
      decorate: unguarded((url, path) => url.includes("%") && decodeURIComponent(url) === path),
    },
  ),
];
