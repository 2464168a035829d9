import { writeFile } from "node:fs/promises";
import { resultsSchema } from "./schema.ts";

/**
 * Writes the published schema beside its definition. After a change of `Results`:
 * `node reports/schema.write.ts && npx biome check --write reports/results.schema.json`.
 */
await writeFile(new URL("results.schema.json", import.meta.url), `${JSON.stringify(resultsSchema(), undefined, 2)}\n`);
