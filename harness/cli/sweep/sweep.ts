import { rpcs } from "../../../proto/rpcs.ts";
import { count } from "../../../reports/words.ts";
import type { CaseContext } from "../../case/context.ts";
import { Unproven } from "../../case/unproven.ts";
import { createContext } from "../../runner/context.ts";
import { planOrder } from "../../runner/order.ts";
import { createRun, type Run } from "../../runner/run.ts";
import { credentialsOf } from "../../target/keys.ts";
import { checkTarget, readTargetFile, UsageError } from "../../target/load.ts";
import { createTarget } from "../../target/target.ts";
import { textAt } from "../../wire/json.ts";
import { CommandFailure, exits } from "../exit.ts";
import { output } from "../output.ts";
import { checkReachable } from "../preflight.ts";
import { deleteFound, type Found, findOwn, findUser, isOwnName } from "./find.ts";
import { type Tenant, tenantsOf } from "./tenants.ts";
import { usersIn } from "./users.ts";

/** Flags of `hallmark sweep`. */
export interface SweepFlags {
  /** Deletes; without it nothing is changed. */
  readonly yes?: boolean;
  /** External ids of customer users to look for: no RPC lists them. */
  readonly user: readonly string[];
  /** Evidence of a run, to take its customer users from. */
  readonly evidence?: string;
}

/**
 * Lists what earlier runs left behind on a target, and with `--yes` deletes it. Exit code 1 where something stays that
 * was to be deleted.
 */
export async function sweep(file: string, { yes = false, user, evidence }: SweepFlags): Promise<number> {
  for (const id of user.filter((one) => !isOwnName(one))) {
    throw new UsageError(`--user ${id} is no id a run of Hallmark gives; only those are swept: hallmark-…`);
  }
  const users = [...new Set([...user, ...(evidence === undefined ? [] : usersIn(evidence))])];
  const target = createTarget(checkTarget(readTargetFile(file), file));
  output.guard(credentialsOf(target.settings));
  const tenants = tenantsOf(target.settings);
  if (tenants.length === 0) {
    throw new UsageError(`${file} names no tenant with a key to it; without one nothing can be listed.`);
  }
  await checkReachable(target);
  const run = createRun(target, planOrder({ target: target.settings, seed: 0, runs: 1 }, []), { invariants: [] });
  try {
    const contexts = new Map(tenants.map((one) => [one, contextOf(run, one)]));
    const found = await findAll(contexts, users);
    for (const one of found) output.print(`${lineOf(one)}\n`);
    if (!yes || found.length === 0) return concludeDry(found);
    return await deleteAll(contexts, found);
  } catch (error) {
    if (error instanceof Unproven)
      throw new CommandFailure(`The target cannot be swept: ${error.message}.`, exits.violated);
    throw error;
  } finally {
    await run.close();
  }
}

/** The context calls are made in; which row it is about decides on its package only. */
function contextOf(run: Run, { package: packageName }: Tenant): CaseContext {
  const row = rpcs.find((one) => one.package === packageName);
  if (row === undefined) throw new Error(`${packageName} has no RPCs`);
  const signal = AbortSignal.timeout(10 * 60_000);
  return createContext({ run, row, label: `sweep ${row.name}`, says: "", clause: "", signal }).context;
}

type Contexts = ReadonlyMap<Tenant, CaseContext>;

async function findAll(contexts: Contexts, users: readonly string[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const [tenant, context] of contexts) {
    found.push(...(await findOwn(context, tenant)));
    if (tenant.package !== "beta.v1") continue;
    for (const id of users) {
      const user = await findUser(context, tenant, id);
      if (user !== undefined) found.push(user);
    }
  }
  return found;
}

function lineOf({ tenant, kind, id, mark }: Found): string {
  const shown = typeof id === "object" && id !== null && !Array.isArray(id) ? textAt(id, "value") : String(id);
  return `${kind} ${shown} (${mark}) of ${tenant.label}`;
}

function concludeDry(found: readonly Found[]): number {
  output.print(
    found.length === 0
      ? "Nothing of an earlier run is listed. Jobs, runs and customer users bear no mark in any listing: name users by --user or --evidence.\n"
      : `${count(found.length, "resource")} of earlier runs; nothing was changed. Delete with --yes.\n`,
  );
  return exits.held;
}

async function deleteAll(contexts: Contexts, found: readonly Found[]): Promise<number> {
  let kept = 0;
  for (const one of found) {
    const context = contexts.get(one.tenant);
    const why = context === undefined ? "its tenant is gone" : await deleteFound(context, one);
    if (why === undefined) continue;
    kept += 1;
    output.print(`✗ stays: ${lineOf(one)}: ${why}\n`);
  }
  output.print(`Deleted ${found.length - kept} of ${count(found.length, "resource")}.\n`);
  return kept === 0 ? exits.held : exits.violated;
}
