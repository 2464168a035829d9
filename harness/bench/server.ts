import { writeFileSync } from "node:fs";
import { startAlphaReference } from "../reference/main.ts";
import { alphaTargetFile } from "../reference/target-file.ts";

/** `node server.ts TARGET-FILE DELAY-MS`: a reference in a process of its own, until its input ends. */
const [file = "", delayMs = "0"] = process.argv.slice(2);
const reference = await startAlphaReference({ decoration: { choices: { delayMs: Number(delayMs) } } });
writeFileSync(file, JSON.stringify(alphaTargetFile(reference)), { mode: 0o600 });
process.stdout.write("ready\n");
process.stdin.resume().once("end", () => void reference.close());
