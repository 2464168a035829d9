import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { PackageName } from "../../../proto/rpcs.ts";
import { shortPatience } from "../../proof/server-under-proof.ts";
import { findFault } from "../../servers/faults/index.ts";
import { onlyService, startEmbedded } from "../../servers/reference/embedded.ts";

/**
 * `node server.ts TARGET-FILE PACKAGE [FAULT]`: the reference of a package, with a fault in it where one is named, until its
 * input ends. Says `ready`; for each line it is sent, how many requests it has got since the line before.
 */
const [file = "", packageName = "alpha.v1", id] = process.argv.slice(2);
let requests = 0;
for (const channel of ["http.server.request.start", "http2.server.stream.start"]) {
  subscribe(channel, () => {
    requests += 1;
  });
}
const fault = id === undefined ? undefined : await findFault(id);
const options = { seed: 1, ...fault?.server?.(), decoration: fault?.decoration ?? {} };
const reference = await startEmbedded(onlyService(packageName as PackageName, options));
const target = { ...reference.file, patience: shortPatience };
writeFileSync(file, JSON.stringify(fault?.target?.(target) ?? target), { mode: 0o600 });
process.stdout.write("ready\n");
const lines = createInterface({ input: process.stdin });
lines.on("line", () => {
  process.stdout.write(`${requests}\n`);
  requests = 0;
});
lines.once("close", () => void reference.close());
