import { innocencePage, packagePage, protocolPage, readingsPage } from "../place.ts";
import { alpha } from "../prose/alpha.ts";
import { beta } from "../prose/beta.ts";
import { innocencePageText } from "./innocence.ts";
import { packagePageText } from "./package.ts";
import { protocolPageText } from "./protocol.ts";
import { readingsPageText } from "./readings.ts";

/** What stands in `docs/contract/`: paths below the project's root, with their texts. */
export function contractPages(): Readonly<Record<string, string>> {
  return {
    [packagePage("alpha.v1")]: packagePageText("alpha.v1", alpha),
    [packagePage("beta.v1")]: packagePageText("beta.v1", beta),
    [protocolPage]: protocolPageText(),
    [readingsPage]: readingsPageText(),
    [innocencePage]: innocencePageText(),
  };
}
