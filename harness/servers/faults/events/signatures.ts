import type { Message } from "@bufbuild/protobuf";
import { subjectFieldOf } from "../../../../proto/resources.ts";
import { Change, type RpcRow } from "../../../../proto/rpcs.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { renewSecret, type SigningSecrets, type SigningWorld } from "../../reference/core/signing-secrets.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { requestIdOf } from "../idempotency/replays.ts";
import { replacing, wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { replacingParts } from "./endpoints.ts";

/** Signs whatever tells an address of an event again with a secret of no bytes. */
const againUnsigned = () => {
  const told = new Set<string>();
  return replacingParts(({ signDelivery }) => ({
    signDelivery(post, secrets) {
      const attempt = `${post.eventId} ${post.url}`;
      const isFirst = !told.has(attempt);
      told.add(attempt);
      return signDelivery(post, isFirst ? secrets : ["whsec_"]);
    },
  }));
};

const subjectId = (row: RpcRow, request: Message) =>
  idText(readField(request, subjectFieldOf(row) ?? "") as { value: string } | undefined);

/** Renews the secret of a rotation before it looks at its version. */
const renewingFirst = replacing(({ checkVersion }) => ({
  checkVersion(context) {
    try {
      checkVersion(context);
    } catch (refusal) {
      const world = context.world as unknown as SigningWorld;
      renewSecret(world, subjectId(context.row, context.request), 0);
      throw refusal;
    }
  },
}));

/** An update puts the endpoint back as it was at first, with the secret of then. */
function restoredByUpdates({ peers }: RpcRow): EitherDecoration {
  const update = peers.find(({ subject, change }) => subject === "webhook_endpoint" && change === Change.SETS);
  if (update === undefined) throw new Error("nothing updates webhook endpoints");
  return wrapping((next) => async (context, request) => {
    const { signingSecrets } = context.world as unknown as SigningWorld;
    const id = subjectId(context.row, request as Message);
    const signing = signingSecrets.get(id);
    const reply = await next(context, request);
    if (signing?.previous !== undefined) signingSecrets.set(id, { ...signing, current: signing.previous });
    return reply;
  })(update);
}

/** Puts the secret that an endpoint was just given in force for every endpoint there is. */
const inForceForAll = wrapping((next) => async (context, request) => {
  const reply = await next(context, request);
  const { signingSecrets, vault } = context.world as unknown as SigningWorld;
  const secret = Buffer.from(String(readField(reply as Message, "signingSecret")));
  for (const id of signingSecrets.keys())
    signingSecrets.set(id, { current: vault.seal(id, secret), previous: undefined, previousUntil: 0 });
  return reply;
});

/** A rotation that is replayed puts its secret in force again. */
const inForceAgain = replacing(({ idempotent }) => {
  const kept = new Map<string, SigningSecrets | undefined>();
  return {
    async idempotent(context, effect) {
      const { signingSecrets } = context.world as unknown as SigningWorld;
      const reply = await idempotent(context, effect);
      const [id, requestId] = [subjectId(context.row, context.request), requestIdOf(context)];
      const known = kept.get(requestId);
      if (known === undefined) kept.set(requestId, signingSecrets.get(id));
      else signingSecrets.set(id, known);
      return reply;
    },
  };
});

/** Signs with the secret before the previous one, once there have been two rotations. */
const beforePrevious = replacingParts(({ signDelivery }) => {
  const known = new Map<string, string[]>();
  return {
    signDelivery(post, secrets) {
      // An update may give an address another query.
      const address = post.url.replace(/\?.*/, "");
      const used = known.get(address) ?? [];
      const current = secrets[0] ?? "";
      if (used.at(-1) !== current) used.push(current);
      known.set(address, used);
      return signDelivery(post, used.length > 2 ? used.slice(-3, -2) : secrets);
    },
  };
});

const signatures = {
  "*.idempotency.one-effect": {
    "RotateWebhookSecret-replay-brings-its-secret-back": [
      "a rotation that is replayed after a later one puts its secret in force again",
      inForceAgain,
    ],
  },
  "*.webhooks.signed": {
    "CreateWebhookEndpoint-secret-signs-for-all": [
      "the secret of the newest endpoint signs for all there are",
      inForceForAll,
    ],
    "RedeliverWebhookDelivery-signed-with-no-secret": [
      "what is sent again is signed with an empty secret",
      againUnsigned,
    ],
    "RotateWebhookSecret-rotates-though-refused": [
      "a rotation that is refused for its version changes the secret",
      renewingFirst,
    ],
    "RotateWebhookSecret-secret-signs-for-all": [
      "the secret of the latest rotation signs for all endpoints there are",
      inForceForAll,
    ],
    "RotateWebhookSecret-signs-with-the-one-before-the-previous": [
      "signs with the secret before the previous one once it was rotated twice",
      () => beforePrevious,
    ],
    "UpdateWebhookEndpoint-undoes-rotations": [
      "an update of the endpoint brings the secret before the rotation back",
      restoredByUpdates,
    ],
  },
} as const;

/** Deliveries that are signed with another secret than the endpoint's. */
export const signatureFaults: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", signatures),
  ...faultsOf("events", "beta.v1", signatures),
];
