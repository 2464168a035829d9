import { onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Stores what a change leaves of the address that the request names. */
const storing = (change: (url: string) => string) =>
  onRequest((json) => (typeof json.url === "string" ? { ...json, url: change(json.url) } : json));

/** The address without the slash at the end of its path. */
const withoutLastSlash = storing((url) => url.replace(/\/$/u, ""));
/** All of the address in lower case, where the host alone may be. */
const inLowerCase = storing((url) => url.toLowerCase());

/** Addresses that are stored as another that looks like them. */
export const oddUrlFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.records.echo": {
    "CreateWebhookEndpoint-urls-without-last-slash": ["stores a url without its last slash", withoutLastSlash],
    "UpdateWebhookEndpoint-urls-without-last-slash": ["stores a url without its last slash", withoutLastSlash],
    "CreateWebhookEndpoint-urls-in-lower-case": ["stores a url in lower case", inLowerCase],
    "UpdateWebhookEndpoint-urls-in-lower-case": ["stores a url in lower case", inLowerCase],
  },
});
