import type { JsonObject } from "@bufbuild/protobuf";
import { CustomerSecretService } from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import type { Secret } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { forRpc } from "../../reference/core/decoration.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import { changedReply } from "../edit.ts";
import { defineBetaFault, type Fault } from "../fault.ts";

const service = "beta.v1.CustomerSecretService";
const rotate = `${service}/RotateSecret`;

/** Stores something else beside what a rotation changes, and shows it. */
function rotating(change: (before: Secret, after: Secret) => Partial<Secret>): BetaDecoration {
  return {
    handlers: aroundBeta(CustomerSecretService.method.rotateSecret, (next) => async (context, request) => {
      const { secret } = context.world.tables;
      const id = idText(request.secretId);
      const before = secret.get(id);
      const reply = await next(context, request);
      const changed = { ...secret.get(id), ...change(before, secret.get(id)) };
      secret.put(changed);
      return { ...reply, secret: changed };
    }),
  };
}

type Row = readonly [rpc: string, what: string, breaks: string, says: string, decoration: BetaDecoration];

const rows: readonly Row[] = [
  [
    rotate,
    "keeps-active-version",
    "secrets.active-version",
    "a rotation leaves the active version as it was",
    rotating(({ activeVersion }) => ({ activeVersion })),
  ],
  [
    rotate,
    "resets-active-version",
    "secrets.active-version",
    "every rotation makes version 2 the active one",
    rotating(() => ({ activeVersion: 2 })),
  ],
  [
    rotate,
    "lowers-active-version",
    "secrets.active-version",
    "a rotation moves the active version back",
    rotating(({ activeVersion }) => ({ activeVersion: activeVersion - 1 })),
  ],
  [
    rotate,
    "drops-active-version",
    "secrets.active-version",
    "a rotation shows no active version",
    changedReply(rotate, "secret.activeVersion", () => undefined),
  ],
  [
    rotate,
    "renames",
    "records.echo",
    "a rotation gives the secret another name",
    rotating(({ name }) => ({ name: `${name}-2` })),
  ],
  [
    rotate,
    "made-anew",
    "records.echo",
    "a rotation moves the time the secret was made",
    rotating((_before, { updatedAt, createdAt }) => ({ createdAt: updatedAt ?? createdAt })),
  ],
  [
    `${service}/GetSecret`,
    "first-active-version",
    "secrets.active-version",
    "shows every secret at active version 1",
    changedReply(`${service}/GetSecret`, "secret.activeVersion", () => 1),
  ],
  [
    `${service}/GetSecret`,
    "rotates-by-reading",
    "secrets.active-version",
    "counts another active version with every reading",
    (() => {
      let read = 0;
      return {
        reply: forRpc(`${service}/GetSecret`, (json: JsonObject) => {
          read += 1;
          const secret = json.secret as JsonObject;
          return { ...json, secret: { ...secret, activeVersion: Number(secret.activeVersion) + read } };
        }),
      };
    })(),
  ],
  [
    `${service}/GetSecret`,
    "no-name",
    "records.agree",
    "shows another name than was stored",
    changedReply(`${service}/GetSecret`, "secret.name", (name) => `${String(name)}-2`),
  ],
  [
    `${service}/ListSecrets`,
    "other-active-version",
    "records.agree",
    "counts an active version more than GetSecret",
    changedReply(`${service}/ListSecrets`, "secrets[].activeVersion", (version) => Number(version) + 1),
  ],
  [
    `${service}/ListSecrets`,
    "other-user",
    "records.identity",
    "names another customer user than was asked for",
    changedReply(`${service}/ListSecrets`, "secrets[].customerUserId", () => ({
      value: "01890a5d-ac96-774b-bcce-b302099a8057",
    })),
  ],
  [
    `${service}/CreateSecret`,
    "other-name",
    "records.echo",
    "shows another name than was sent",
    changedReply(`${service}/CreateSecret`, "secret.name", () => "secret"),
  ],
];

export const secretFaults: readonly Fault[] = rows.map(([rpc, what, breaks, says, decoration]) =>
  defineBetaFault({
    id: `lifecycle/beta-${rpc.split("/")[1]}-${what}`,
    says,
    breaks: `beta.${breaks}`,
    rpc,
    decoration,
  }),
);
