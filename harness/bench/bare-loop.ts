import { readFileSync } from "node:fs";
import type { Recorded } from "./record.ts";
import { sendAll } from "./send-all.ts";

/** `node bare-loop.ts RECORDING`: sends recorded requests, and reads what comes. */
const [recording = ""] = process.argv.slice(2);
await sendAll(JSON.parse(readFileSync(recording, "utf8")) as Recorded[]);
