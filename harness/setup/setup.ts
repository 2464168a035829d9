import { deleteRowOf } from "../../proto/resources.ts";
import { Effect, type PackageName, type RpcRow, rpc } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import { livesForItsPhase } from "../case/phase.ts";
import type { Setup } from "../case/setup.ts";
import { textAt } from "../wire/json.ts";
import { isObject } from "../wire/reply.ts";
import { alphaPackage } from "./alpha/setup.ts";
import { betaPackage } from "./beta/setup.ts";
import { change, countCreated, effectOn, undoUntold, untoldName } from "./effect.ts";
import { listedBy, make, subjectFor } from "./make.ts";
import { otherTenant } from "./other-tenant.ts";
import type { PackageSetup, Place, Tenant } from "./package.ts";
import { current, read } from "./read.ts";
import { validRequest } from "./request.ts";
import { shareUntilExpired } from "./shared.ts";
import { isTombstone, subjectIn } from "./subject.ts";
import { undo } from "./undo.ts";

const packages: Readonly<Record<PackageName, PackageSetup>> = { "alpha.v1": alphaPackage, "beta.v1": betaPackage };

/** States, beside the usual one, in which setup makes a row's subject: of a resource that has states. */
export function otherStatesOf(row: RpcRow): readonly string[] {
  return packages[row.package].resources[row.subject]?.otherStates?.(row) ?? [];
}

/** Creates the setup of a context's package, in the run's own tenant. */
export function createSetup(context: CaseContext): Setup {
  return setupAt(placeIn(context));
}

/** The place of a context: in a tenant, by default in the run's own. */
function placeIn(context: CaseContext, tenant?: Tenant): Place {
  const { row, run } = context;
  const facts = packages[row.package];
  return {
    context,
    facts,
    tenant: () => tenant ?? facts.ownTenant(context),
    key: () => tenant?.key ?? run.fullKey(row.package),
    label: tenant?.label ?? "the run's tenant",
  };
}

/** A place in another tenant: what its context makes, reads and calls is made, read and called there. */
function placeAway(context: CaseContext, tenant: Tenant): Place {
  const there: CaseContext = {
    ...context,
    get setup() {
      return setup;
    },
    async call(row, request, options = {}) {
      const { as = await setup.credential(typeof row === "string" ? rpc(row) : row) } = options;
      const isIssued = typeof as === "object" && as !== null;
      if (!isIssued || tenant.turns === undefined) return context.call(row, request, { ...options, as });
      // Who has the turn would wait in vain for others of its batch, which wait for their turns.
      const { batch: _, ...alone } = options;
      return tenant.turns.use(as, (by) => context.call(row, request, { ...alone, as: by }));
    },
    shared: (work, name, until) => context.shared((outer) => work(placeAway(outer, tenant).context), name, until),
  };
  const place = placeIn(there, tenant);
  const setup = setupAt(place);
  return place;
}

function setupAt(place: Place): Setup {
  const { context, facts, label } = place;
  const { row: about, run, random } = context;
  const away = () => placeAway(context, facts.otherTenant(context));
  const inRun = (what: string) => `${about.package} ${label} ${what}`;
  const fresh = (kind: string) => make(place, kind);
  const until = (kind: string) => (livesForItsPhase(kind) ? "phase" : "run");
  const inPhase = (kind: string, what = kind) =>
    inRun(livesForItsPhase(kind) ? `${what} in phase ${run.phase.number(about.package)}` : what);
  const sharedFrom = (kind: string) => [kind, facts.resources[kind]?.sharedState ?? []].flat().join(":");
  const shared = (kind: string) =>
    shareUntilExpired(
      run,
      inPhase(kind),
      () => context.shared((outer) => outer.setup.fresh(sharedFrom(kind)), undefined, until(kind)),
      (made) => [made],
    );
  return {
    ...facts.credentials(place),
    tenant: () => place.tenant().fields,
    requestId: () => ({ value: random.uuidv7() }),
    name: (word = "thing") => `${run.prefix}-${word}-${random.token(6)}`,
    fresh,
    shared,
    listed: (row) =>
      shareUntilExpired(
        run,
        inPhase(row.subject, `listed ${row.subject}`),
        () => context.shared((outer) => listedBy(outer, facts, row), undefined, until(row.subject)),
        ({ subjects }) => subjects,
      ),
    async apart(name = random.token(6)) {
      const apart = await facts.tenantApart?.(context, name);
      return apart === undefined ? context : placeAway(context, apart).context;
    },
    async asAnotherUser() {
      const tenant = await facts.tenantOfAnotherUser?.(context);
      if (tenant === undefined) throw new Error(`${about.package} has no customer users`);
      return placeAway(context, tenant).context;
    },
    ofOtherTenant: async (kind) => away().context.setup.shared(kind),
    elsewhere: () => away().context,
    subjectOf: (row) => subjectFor(place, row),
    request: (row, subject, fields) => validRequest(place, row, subject, fields),
    spareFields: (kind) => facts.resources[kind]?.spare ?? [],
    baseUrl: (_row, subject) => subject?.baseUrl,
    homeUrl: (row) => facts.homeUrl(context, row),
    read: (subject, options) => read(context, subject, options),
    current: (subject) => current(context, subject),
    change: (subject, how) => change(context, subject, how),
    effectOn: (row, before) => effectOn(place, row, before),
    countCreated: (row, request) => countCreated(place, row, request),
    deleteOf(kind) {
      const row = deleteRowOf(kind, about.package);
      if (row === undefined) throw new Error(`nothing deletes a ${kind}`);
      return row;
    },
    deletable: async (subject) => (await facts.resources[subject.kind]?.deletable?.(context, subject)) ?? subject,
    isTombstone,
    subjectIn,
    undoCreated(reply, options) {
      const made = { ...subjectIn(reply), baseUrl: options.baseUrl };
      if (!isObject(made.id)) return;
      // What is kept until it is undone is not to keep the reply.
      const { request } = reply;
      context.undo(
        async (undoing) => {
          const tenant = facts.tenantOf(undoing, request, options.as);
          return tenant === undefined ? [] : undo(placeAway(undoing, tenant), made);
        },
        `${made.kind} ${textAt(made.id, "value")}`,
      );
    },
    undoUntold(row, request, options) {
      if (row.effect !== Effect.CREATE || row.record === undefined) return;
      context.undo(
        async (undoing) => {
          const tenant = facts.tenantOf(undoing, request, options.as);
          return tenant === undefined ? [] : undoUntold(placeAway(undoing, tenant), row, request, options.baseUrl);
        },
        untoldName(row, request),
      );
    },
    otherTenant: async (row) => otherTenant(place, away(), row),
  };
}
