import { writeFileSync } from "node:fs";
import { judgedServices, startEmbedded } from "../servers/reference/embedded.ts";

/** `node server.ts TARGET-FILE DELAY-MS`: a reference in a process of its own, until its input ends. */
const [file = "", delayMs = "0"] = process.argv.slice(2);
const options = { decoration: { choices: { delayMs: Number(delayMs) } } };
const packages = Object.keys(judgedServices).map((name) => [name, options]);
const reference = await startEmbedded(Object.fromEntries(packages));
writeFileSync(file, JSON.stringify(reference.file), { mode: 0o600 });
process.stdout.write("ready\n");
process.stdin.resume().once("end", () => void reference.close());
