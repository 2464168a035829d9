import { rpcs } from "../../proto/rpcs.ts";
import type { SecretRegistry } from "../secrets/registry.ts";

/**
 * Makes the names of scopes known as what anybody may say: keys are often named after the scope they hold, and an id of the
 * target, as `public-test-fixture`, may have a word in common with them.
 */
export function allowScopes(secrets: Pick<SecretRegistry, "allow">): void {
  for (const scope of new Set(rpcs.map((row) => row.scope))) secrets.allow(scope);
}
