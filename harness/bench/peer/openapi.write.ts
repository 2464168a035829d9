import { writeFileSync } from "node:fs";
import { rpcs } from "../../../proto/rpcs.ts";
import { openApiOf } from "./openapi.ts";

/** `node openapi.write.ts FILE`: writes the unary RPCs of both packages as an OpenAPI document. */
const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error("Where to? Give the file that the OpenAPI document is written to: node openapi.write.ts FILE");
  process.exit(2);
}
writeFileSync(file, `${JSON.stringify(openApiOf(rpcs), undefined, 2)}\n`);
