import type { CaseContext } from "../case/context.ts";
import type { Setup } from "../case/setup.ts";
import { createAlphaSetup } from "./alpha/setup.ts";
import { createBetaSetup } from "./beta/setup.ts";

/** Creates the given of a context's package. */
export function createSetup(context: CaseContext): Setup {
  return context.row.package === "alpha.v1" ? createAlphaSetup(context) : createBetaSetup(context);
}
