import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { demandReports, type Machines } from "./machine.ts";

/** What the image is started with: its entry point is hallmark. */
const entryPoint = ["npx", "hallmark"];

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly read_only?: boolean;
  readonly user?: string;
}

interface Pod {
  readonly kind: string;
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } };
  };
}

async function start(args: readonly string[], machines: Machines): Promise<void> {
  const cwd = machines.checkOut();
  await machines.run({ text: args.join(" "), words: [...entryPoint, ...args], cwd, env: {} });
  demandReports(join(cwd, "reports"));
}

/** Runs what a compose file starts Hallmark's image with; the server is the one under judgement here. */
export async function runCompose(file: string, machines: Machines): Promise<void> {
  const { services } = parse(readFileSync(file, "utf8")) as { readonly services: Readonly<Record<string, Service>> };
  const own = Object.values(services).filter(({ image }) => image.startsWith("hallmark:"));
  if (own.length === 0) throw new Error("no service is of Hallmark's image");
  for (const { command = [] } of own) await start(command, machines);
}

/** Runs what a Job starts Hallmark's image with. */
export async function runJob(file: string, machines: Machines): Promise<void> {
  const documents = parseAllDocuments(readFileSync(file, "utf8")).map((document) => document.toJS() as Pod);
  for (const { spec } of documents.filter(({ kind }) => kind === "Job")) {
    for (const { args } of spec.template.spec.containers) await start(args, machines);
  }
}
