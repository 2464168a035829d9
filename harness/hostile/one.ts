import { writeSync } from "node:fs";
import { findHostileTarget } from "../servers/hostile/index.ts";
import { type Extent, judgeTarget } from "./judge.ts";

/**
 * `node one.ts ID whole|narrowed [DIRECTORY]`: judges one hostile target in a process of its own, where it is in nobody's
 * way, and prints what came of it as JSON. A directory keeps what the run wrote.
 */
const [id = "", extent = "narrowed", keep] = process.argv.slice(2);
const judged = await judgeTarget(await findHostileTarget(id), extent as Extent, keep);
writeSync(1, `${JSON.stringify(judged)}\n`);
// Whatever a hostile server still has open is nobody's concern.
process.exit();
