import { rpc } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { anyCaller } from "./credentials.ts";

const rows = [
  "alpha.v1.SecretService/GetSecret",
  "alpha.v1.SecretService/RotateSecret",
  "alpha.v1.JobService/WatchJob",
  "beta.v1.SessionService/GetSession",
  "beta.v1.SessionService/CreateSession",
].map(rpc);

/** What may be said of a request beside what it asks for. */
const looks: readonly (readonly [
  what: string,
  says: string,
  isSo: (headers: Context["call"]["headers"]) => boolean,
])[] = [
  [
    "forwarded-from-itself",
    "that a proxy had from the server's own machine",
    (headers) => headers["x-forwarded-for"]?.startsWith("127.0.0.1") === true,
  ],
  ["with-a-deadline", "that have a deadline", (headers) => headers["connect-timeout-ms"] !== undefined],
  ["from-a-page", "that name their origin", (headers) => headers.origin !== undefined],
  ["of-unknown-length", "that do not say how long they are", (headers) => headers["content-length"] === undefined],
];

/** A guard in front of the service, by what it lets pass. */
export const dressed: readonly Fault[] = looks.flatMap(([what, says, isSo]) => [
  ...faultsAt(rows, {
    id: `auth/asks-no-credential-${what}`,
    says: `asks for no credential with calls ${says}`,
    breaks: "*.auth.required",
    decorate: replacing(({ authenticate }) => ({
      authenticate(context) {
        const { headers } = context.call;
        return headers.authorization === undefined && isSo(headers) ? anyCaller(context) : authenticate(context);
      },
    })),
  }),
  ...faultsAt(rows, {
    id: `auth/asks-no-scope-${what}`,
    says: `asks for no scope with calls ${says}`,
    breaks: "*.auth.scope",
    decorate: replacing(({ authorizeScope }) => ({
      authorizeScope(context) {
        if (!isSo(context.call.headers)) authorizeScope(context);
      },
    })),
  }),
]);
