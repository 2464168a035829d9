import module from "node:module";
import { join } from "node:path";

// The command line of a clone, as npm's scripts call it. JavaScript, as what takes the types out of TypeScript takes most of a second
// to start on a busy machine: with the cache of harness/package/compile-cache.ts on before the first module, it never does.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "..", "..", "node_modules", ".cache", "compile");
module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
await import("./main.ts");
