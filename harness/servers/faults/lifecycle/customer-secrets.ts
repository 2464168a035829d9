import { CustomerSecretService } from "../../../../proto/gen/beta/v1/customer_secret_service_pb.js";
import type { Secret } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import { inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { another, drop, more, rename } from "../values.ts";

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

/** Counts another active version with every reading. */
function rotatedByReading() {
  let read = 0;
  return inReply("secret.activeVersion", (version) => {
    read += 1;
    return Number(version) + read;
  });
}

export const customerSecretFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.secrets.active-version": {
    "RotateSecret-keeps-active-version": [
      "leaves the active version as it was",
      rotating(({ activeVersion }) => ({ activeVersion })),
    ],
    "RotateSecret-resets-active-version": ["makes version 2 the active one", rotating(() => ({ activeVersion: 2 }))],
    "RotateSecret-lowers-active-version": [
      "moves the active version back",
      rotating(({ activeVersion }) => ({ activeVersion: activeVersion - 1 })),
    ],
    "RotateSecret-drops-active-version": ["shows no active version", inReply("secret.activeVersion", drop)],
    "GetSecret-first-active-version": [
      "shows every secret at active version 1",
      inReply("secret.activeVersion", () => 1),
    ],
    "GetSecret-rotates-by-reading": ["counts another active version with every reading", rotatedByReading()],
  },
  "*.records.echo": {
    "RotateSecret-renames": ["gives the secret another name", rotating(({ name }) => ({ name: `${name}-2` }))],
    "RotateSecret-made-anew": [
      "moves the time the secret was made",
      rotating((_before, { updatedAt, createdAt }) => ({ createdAt: updatedAt ?? createdAt })),
    ],
    "CreateSecret-other-name": ["shows another name than was sent", inReply("secret.name", () => "secret")],
  },
  "*.records.agree": {
    "GetSecret-no-name": ["shows another name than was stored", inReply("secret.name", rename)],
    "ListSecrets-other-active-version": [
      "counts an active version more than GetSecret",
      inReply("secrets[].activeVersion", more),
    ],
  },
  "*.records.identity": {
    "ListSecrets-other-user": [
      "names another customer user than was asked for",
      inReply("secrets[].customerUserId", another),
    ],
  },
});
