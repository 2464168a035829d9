import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { replacingParts } from "./endpoints.ts";

/** Signs what is tried again by itself with a secret of no bytes; what was taken is signed anew when it is sent again. */
const retriesUnsigned = () => {
  const refused = new Set<string>();
  return replacingParts(({ signDelivery, postDelivery }) => ({
    signDelivery: (post, secrets) =>
      signDelivery(post, refused.has(`${post.eventId} ${post.url}`) ? ["whsec_"] : secrets),
    async postDelivery(post, timeoutMs, signal) {
      const status = await postDelivery(post, timeoutMs, signal);
      const key = `${post.eventId} ${post.url}`;
      if (status >= 200 && status < 300) refused.delete(key);
      else refused.add(key);
      return status;
    },
  }));
};

const further = () =>
  ({
    "*.webhooks.signed": {
      "CreateWebhookEndpoint-retries-unsigned": [
        "what is tried again by itself is signed with an empty secret",
        retriesUnsigned,
      ],
    },
  }) as const;

/** What goes wrong at attempts after the first. */
export const furtherAttemptFaults: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", further()),
  ...faultsOf("events", "beta.v1", further()),
];
