import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { targetJsonSchema } from "./schema.ts";

/** Writes the published JSON Schema of the target file; part of `npm run generate`. */
const file = join(import.meta.dirname, "../../docs/target.schema.json");
writeFileSync(file, `${JSON.stringify(targetJsonSchema(), undefined, 2)}\n`);
