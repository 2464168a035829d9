import type { Command } from "commander";
import { type Finish, withExamples } from "../options.ts";

/** Commands that show what there is: nothing is sent anywhere but to the embedded references. */
export function declareLearning(program: Command, finish: Finish): void {
  withExamples(
    program
      .command("list")
      .description("list cases, clauses, faults or variants")
      .argument("[what]", "cases, clauses, faults, variants", "cases")
      .option("--filter <words>", "only what has all these words in its id or text; * stands for anything")
      .option("--json", "as JSON")
      .action(async (what, flags) => finish(await (await import("../list.ts")).list(what, flags))),
    "hallmark list clauses",
    "hallmark list faults --filter 'GetSecret version'",
  );

  withExamples(
    program
      .command("explain")
      .description("explain a case, a clause, an RPC, a fault or a variant: text, why, a passing exchange, causes")
      .argument("<id>", "version/stale-is-refused, alpha.versioning.expected, SecretService/GetSecret, …")
      .option("--rpc <name>", "the RPC whose passing exchange is shown (default: the first)")
      .option("--no-live", "leave the passing exchange out; nothing is started then")
      .action(async (id, flags) => finish(await (await import("../explain/explain.ts")).explain(id, flags))),
    "hallmark explain version/stale-is-refused --rpc RotateSecret",
    "hallmark explain '*.versioning.expected'",
  );

  withExamples(
    program
      .command("doctor")
      .description("say what a target file lets the suite exercise, and what each missing key would add")
      .argument("[target]", "target file, YAML or JSON (default: target.yaml, where there is one)")
      .option("--rehearse", "put the suite to the embedded references, and count the cases each missing key would add")
      .option("--offline", "do not ask whether the target answers")
      .option("--json", "as JSON")
      .action(async (target, flags) => finish(await (await import("../doctor/doctor.ts")).doctor(target, flags))),
    "hallmark doctor target.yaml",
    "hallmark doctor target.yaml --rehearse",
  );

  withExamples(
    program
      .command("init")
      .description("write a commented target file, by asking")
      .argument("[file]", "where to", "target.yaml")
      .option("--base-url <url>", "base URL of alpha.v1")
      .option("--test-base-url <url>", "base URL of its fixtures")
      .option("--beta-base-url <url>", "base URL of beta.v1")
      .option("--name <name>", "how reports call the target")
      .option("-y, --yes", "ask nothing: what no option says stays a comment")
      .option("--force", "overwrite a file that exists")
      .action(async (file, flags) => finish(await (await import("../init/init.ts")).init(file, flags))),
    "hallmark init",
    "hallmark init staging.yaml --yes --base-url https://alpha.staging.example.test",
  );
}
