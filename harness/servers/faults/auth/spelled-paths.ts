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

type Fits = (url: string, path: string) => boolean;

/** Spellings that a router takes for the path, and some guards do not. */
const spellings: readonly (readonly [id: string, says: string, fits: Fits])[] = [
  [
    "open-behind-a-query",
    "asks for no credential where a query follows the path",
    (url, path) => url.startsWith(`${path}?`),
  ],
  [
    "open-behind-dots",
    "asks for no credential where the path leads to its own by dots",
    (url, path) => url.includes("/.") && new URL(url, "http://localhost").pathname === path,
  ],
  [
    "open-behind-an-escaped-slash",
    "asks for no credential where the slash before the method is an escape",
    (url, path) => /%2f/i.test(url) && decodeURIComponent(url) === path,
  ],
  [
    "open-in-lower-case",
    "asks for no credential where the path is in lower case",
    (url, path) => url === path.toLowerCase(),
  ],
  [
    "open-behind-parameters",
    "asks for no credential where parameters follow the path",
    (url, path) => url.startsWith(`${path};`),
  ],
];

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
  ...spellings.flatMap(([id, says, fits]) =>
    faultsAt(
      rpcs.filter(
        ({ package: name, method }) => name === "alpha.v1" && (method === "GetJob" || method === "RotateSecret"),
      ),
      { id: `auth/${id}`, says, breaks: "*.auth.required", decorate: unguarded(fits) },
    ),
  ),
];
