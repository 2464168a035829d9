import { Effect, type RpcRow } from "../../../../proto/rpcs.ts";
import { type FieldSite, replyFields } from "./replies-walk.ts";

/** Fields the reference leaves empty in some replies, whatever it is asked: there is nothing to be shown wrongly. */
interface Unshown {
  /** Name of the message, in whichever package. */
  readonly message: string;
  readonly fields: readonly string[];
  /** The rows whose replies never fill them; all of them by default. */
  readonly rows?: (row: RpcRow) => boolean;
}

const begins = ({ effect }: RpcRow) => effect === Effect.CREATE;
const changes = ({ effect }: RpcRow) => effect === Effect.CREATE || effect === Effect.UPDATE;
const takes = (field: string) => (row: RpcRow) => row.input.fields.some(({ jsonName }) => jsonName === field);

const unshown: readonly Unshown[] = [
  // Work fails by what its input says: there is nothing to wait for, and no field of a request to name.
  { message: "ErrorDetail", fields: ["retryAfterSeconds", "fieldViolations"] },
  // What begins or stops work answers before that has ended.
  {
    message: "Job",
    fields: ["completedAt", "terminalError", "resultArtifactIds", "nextAttemptAt"],
    rows: changes,
  },
  { message: "Run", fields: ["settledCustomerCost", "error"], rows: changes },
  { message: "Job", fields: ["progressPercent", "attemptCount"], rows: begins },
  // Between two attempts a job is seldom listed.
  { message: "Job", fields: ["nextAttemptAt"], rows: ({ effect }) => effect === Effect.LIST },
  // Whether a run warns is open; those the suite makes have nothing to warn of, but where memory is switched off.
  { message: "Run", fields: ["memoryWarning"] },
  // What is uploaded is no job's result.
  { message: "Artifact", fields: ["owningJobId"], rows: changes },
  // A deleted secret is gone.
  { message: "Secret", fields: ["deletedAt"] },
  // A delivery sent again awaits its delivery.
  { message: "WebhookDelivery", fields: ["deliveredAt"], rows: changes },
  // A grant that can be given or changed is not revoked.
  { message: "CustomerUserGrant", fields: ["revokedAt"], rows: takes("expiresAt") },
];

/** True where the reference never fills one of the fields that lead to the site, of which `depth` are counted. */
function isUnshown({ row, at, within }: FieldSite, depth: number): boolean {
  const names = at.replaceAll("[]", "").split(".");
  return unshown.some(
    ({ message, fields, rows = () => true }) =>
      rows(row) &&
      within.slice(0, depth).some((one, index) => one.name === message && fields.includes(names[index] ?? "")),
  );
}

let shown: readonly FieldSite[] | undefined;
let reached: readonly FieldSite[] | undefined;

/** The fields of replies whose message the reference sends, though it may leave the field itself empty. */
export function reachedFields(): readonly FieldSite[] {
  reached ??= replyFields().filter((site) => !isUnshown(site, site.within.length - 1));
  return reached;
}

/** The fields of replies that the reference fills, in some reply of that RPC. */
export function shownFields(): readonly FieldSite[] {
  shown ??= replyFields().filter((site) => !isUnshown(site, site.within.length));
  return shown;
}
