import { mkdir, writeFile } from "node:fs/promises";
import { buildApp } from "./build.ts";

/** Writes the bundled app beside its sources. After a change of `app/`: `node reports/html/build.write.ts`. */
const { script, style } = await buildApp();
const gen = new URL("gen/", import.meta.url);
await mkdir(gen, { recursive: true });
await writeFile(new URL("app.js", gen), script);
await writeFile(new URL("app.css", gen), style);
