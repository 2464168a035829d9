import type { Message } from "@bufbuild/protobuf";
import { WebhookDeliveryState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { Change, rpc, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, type Principal, principalOf } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Fault } from "../fault.ts";
import { entryNamed } from "../isolation/tenants.ts";
import { cursorOf } from "../paging/filters.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { hasHadDelivery } from "../version/other-states.ts";
import { noScopeWhere } from "./any-kind.ts";

type When = (context: Context) => boolean;

const fieldOf = ({ request }: Context, name: string) => readField(request as Message, name);
const hasState: When = (context) => fieldOf(context, "state") !== 0;
const isDisabling: When = (context) => fieldOf(context, "enabled") === false;
const isOfDisabled: When = (context) => {
  const endpoint = entryNamed(context)?.record;
  return endpoint !== undefined && readField(endpoint, "enabled") === false;
};
const isOfGivenUp: When = (context) => {
  const delivery = entryNamed(context)?.record;
  return delivery !== undefined && readField(delivery, "state") === WebhookDeliveryState.FAILED;
};
const hasSecrets: When = (context) => (fieldOf(context, "secretIds") as readonly unknown[]).length > 0;
const isContinued: When = ({ request, row }) => row.list !== undefined && cursorOf(request as Message) !== "";
const isResumed: When = (context) => BigInt(String(fieldOf(context, "afterResourceVersion"))) > 0n;

/** Asks for no credential where a request is of a form: whoever calls is taken for one who may. */
const anonymousWhen = (when: When) =>
  replacing((parts) => ({
    authenticate(context) {
      try {
        return parts.authenticate(context);
      } catch (error) {
        const one = [...context.world.principals.values()].find(({ scopes }: Principal) =>
          scopes.has(context.row.scope),
        );
        if (one === undefined || !when(context)) throw error;
        return one;
      }
    },
  }));

/** Asks for a second scope where a request is of a form. */
const askingMoreWhen = (when: When, scope: string) =>
  replacing((parts) => ({
    authorizeScope(context) {
      parts.authorizeScope(context);
      if (when(context) && !principalOf(context).scopes.has(scope))
        refuse("AUTHORIZATION_DENIED", `the scope ${scope} is required, too`);
    },
  }));

const fixtures = ["RunAsync", "RunStream", "RunSync"].map((name) => rpc(`alpha.v1.PublicTestFixtureService/${name}`));
const listJobs = [rpc("alpha.v1.JobService/ListJobs")];

/** What a request asks for beside decides what its caller is asked for. */
export const formFaults: readonly Fault[] = [
  ...faultsAt(listJobs, {
    id: "auth/by-state-to-anybody",
    says: "lists by a state without a credential",
    breaks: "*.auth.required",
    decorate: anonymousWhen(hasState),
  }),
  ...faultsAt(listJobs, {
    id: "auth/by-state-without-a-scope",
    says: "asks no scope of a listing by a state",
    breaks: "*.auth.scope",
    decorate: noScopeWhere(hasState),
  }),
  ...faultsAt(
    ["alpha.v1.WebhookService/UpdateWebhookEndpoint", "beta.v1.WebhookService/UpdateWebhookEndpoint"].map(rpc),
    {
      id: "auth/disables-without-a-scope",
      says: "asks no scope of who disables an endpoint",
      breaks: "*.auth.scope",
      decorate: noScopeWhere(isDisabling),
    },
  ),
  ...faultsAt(
    ["alpha.v1.WebhookService/DeleteWebhookEndpoint", "beta.v1.WebhookService/DeleteWebhookEndpoint"].map(rpc),
    {
      id: "auth/of-what-is-disabled-without-a-scope",
      says: "asks no scope of who deletes a disabled endpoint",
      breaks: "*.auth.scope",
      decorate: noScopeWhere(isOfDisabled),
    },
  ),
  ...faultsAt(
    rpcs.filter(({ change }) => change === Change.REDELIVERS),
    {
      id: "auth/of-what-was-given-up-without-a-scope",
      says: "asks no scope of who sends a delivery again that was given up",
      breaks: "*.auth.scope",
      decorate: noScopeWhere(isOfGivenUp),
    },
  ),
  ...faultsAt(
    rpcs.filter(({ subject, expectedVersion }) => subject === "webhook_endpoint" && expectedVersion !== undefined),
    {
      id: "auth/once-delivered-without-a-scope",
      says: "asks no scope of who changes an endpoint that has had a delivery",
      breaks: "*.auth.scope",
      decorate: noScopeWhere(hasHadDelivery),
    },
  ),
  ...faultsAt(fixtures, {
    id: "auth/with-secrets-without-a-scope",
    says: "asks no scope of a call that names secrets",
    breaks: "*.auth.scope",
    decorate: noScopeWhere(hasSecrets),
  }),
  ...faultsAt(fixtures, {
    id: "auth/asks-for-the-scope-of-its-secrets",
    says: "asks for secrets:read of a call that names secrets",
    breaks: "*.auth.scope",
    decorate: askingMoreWhen(hasSecrets, "secrets:read"),
  }),
  ...faultsAt(
    rpcs.filter(({ list, package: name }) => list !== undefined && name === "alpha.v1"),
    {
      id: "auth/asks-more-of-who-turns-a-page",
      says: "asks for another scope beside its own on all pages but the first",
      breaks: "*.auth.scope",
      decorate: askingMoreWhen(isContinued, "artifacts:write"),
    },
  ),
  ...faultsAt(listJobs, {
    id: "auth/asks-more-of-who-filters",
    says: "asks for jobs:write of a listing by a state",
    breaks: "*.auth.scope",
    decorate: askingMoreWhen(hasState, "jobs:write"),
  }),
  ...faultsAt([rpc("alpha.v1.JobService/WatchJob")], {
    id: "auth/asks-more-of-who-resumes",
    says: "asks for jobs:write of a watch that is resumed",
    breaks: "*.auth.scope",
    decorate: askingMoreWhen(isResumed, "jobs:write"),
  }),
];
