import { recordFields, subjectFieldOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { failureCodes } from "../case/failure-codes.ts";
import type { RunUsage } from "../case/result.ts";
import { recordIn } from "../setup/subject.ts";
import type { TargetSettings } from "../target/schema.ts";
import { NotExercised } from "../target/target.ts";
import { showJson } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";

/** What a run makes on its target, counted and, where the target file says so, limited. */
export interface Usage {
  /**
   * Says that a call is about to be sent. Throws NotExercised where it would make more than the target file allows.
   * @returns what is told the reply once it is there; undefined where nobody waits for one
   */
  admit(row: RpcRow): (reply: Reply | undefined) => void;
  /** So far. */
  readonly made: Pick<RunUsage, "jobs" | "runs" | "loginRequests" | "resources"> & Required<Pick<RunUsage, "calls">>;
}

type Limited = "jobs" | "runs";

/** What a call makes that is limited: work of the target. */
function workOf(row: RpcRow): Limited | undefined {
  if (row.effect !== Effect.CREATE) return undefined;
  if (row.fixture) return "jobs";
  return row.subject === "run" ? "runs" : undefined;
}

/** What a reply made, so that a replay of it counts once; undefined where it made nothing, or shows no id. */
function madeBy(reply: Reply): string | undefined {
  const id = recordIn(reply)[recordFields(reply.row).id];
  return id === undefined ? undefined : `${reply.row.subject} ${showJson(id)}`;
}

/** True for a server error: an HTTP status of another class, as that of an unknown media type, is none. */
const isFailure = (reply: Reply) =>
  reply.outcome === "refused" &&
  failureCodes.has(reply.error.code) &&
  (reply.error.status >= 500 || reply.error.status === 200);

/** Begins to count. */
export function createUsage({ limits }: TargetSettings): Usage {
  const made: Record<Limited, number> = { jobs: 0, runs: 0 };
  /** Sent, and not known to have made anything. */
  const pending: Record<Limited, number> = { jobs: 0, runs: 0 };
  const known = new Set<string>();
  const loginRequests = new Set<string>();
  let resources = 0;
  let [answered, failed] = [0, 0];

  function note(row: RpcRow, reply: Reply | undefined): void {
    const work = workOf(row);
    if (reply !== undefined && reply.outcome !== "broken") answered += 1;
    if (reply !== undefined && isFailure(reply)) failed += 1;
    // Of what nobody waited for it is not known whether it took effect.
    if (reply !== undefined && reply.outcome === "refused") return;
    if (row.subject === "oauth_login_request" && reply?.outcome === "served") {
      loginRequests.add(showJson(reply.request[subjectFieldOf(row) ?? ""]));
    }
    if (row.effect !== Effect.CREATE) return;
    const name = reply === undefined ? undefined : madeBy(reply);
    if (name !== undefined && known.has(name)) return;
    if (name !== undefined) known.add(name);
    if (row.record !== undefined && name !== undefined) resources += 1;
    if (work !== undefined) made[work] += 1;
  }

  return {
    admit(row) {
      const work = workOf(row);
      if (work === undefined) return (reply) => note(row, reply);
      const limit = limits[work];
      if (limit !== undefined && made[work] + pending[work] >= limit) {
        throw new NotExercised(`a higher limits.${work}`, `the ${limit} ${work} it allows are made`);
      }
      pending[work] += 1;
      return (reply) => {
        pending[work] -= 1;
        note(row, reply);
      };
    },
    get made() {
      return { ...made, loginRequests: loginRequests.size, resources, calls: { answered, failed } };
    },
  };
}
