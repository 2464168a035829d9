import { build } from "vite";

/** The app as it stands in a page: one script and one style sheet. */
export interface BuiltApp {
  readonly script: string;
  readonly style: string;
}

/**
 * Bundles `app/` into one script and one style sheet, the same bytes on every machine. Takes about a second, which is why
 * what it yields is committed (`gen/`) and no run of Hallmark waits for it.
 */
export async function buildApp(): Promise<BuiltApp> {
  // The bundler looks at it even where it is told otherwise; another value would yield other bytes.
  process.env.NODE_ENV = "production";
  const built = await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: "error",
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    build: {
      write: false,
      target: ["chrome123", "firefox128", "safari17.5"],
      cssCodeSplit: false,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: new URL("app/main.tsx", import.meta.url).pathname,
        output: { format: "iife", entryFileNames: "app.js", assetFileNames: "app[extname]" },
      },
    },
  });
  const outputs = [built].flat().flatMap((result) => ("output" in result ? result.output : []));
  const script = outputs.find((output) => output.type === "chunk")?.code;
  const style = outputs.find((output) => output.type === "asset" && output.fileName.endsWith(".css"));
  if (script === undefined || style?.type !== "asset")
    throw new Error("the bundler yielded no script or no style sheet");
  return { script, style: String(style.source) };
}
