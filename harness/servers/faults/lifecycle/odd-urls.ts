import { inRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { onText } from "../values.ts";

/** The address without the slash at the end of its path. */
const withoutLastSlash = inRequest(
  "url",
  onText((url) => url.replace(/\/$/u, "")),
);
/** All of the address in lower case, where the host alone may be. */
const inLowerCase = inRequest(
  "url",
  onText((url) => url.toLowerCase()),
);

/** Addresses that are stored as another that looks like them. */
export const oddUrlFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.records.echo": {
    "CreateWebhookEndpoint-urls-without-last-slash": ["stores a url without its last slash", withoutLastSlash],
    "UpdateWebhookEndpoint-urls-without-last-slash": ["stores a url without its last slash", withoutLastSlash],
    "CreateWebhookEndpoint-urls-in-lower-case": ["stores a url in lower case", inLowerCase],
    "UpdateWebhookEndpoint-urls-in-lower-case": ["stores a url in lower case", inLowerCase],
  },
});
