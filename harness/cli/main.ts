#!/usr/bin/env node
import { keepCompiled } from "../package/compile-cache.ts";

// Before the first of the modules it is for is loaded.
keepCompiled();
const { main } = await import("./command-line.ts");

// Whoever reads no further (`| head`) has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

process.exitCode = await main(process.argv.slice(2));
