import type { JsonObject, Message } from "@bufbuild/protobuf";
import { recordFields, subjectFieldOf } from "../../../../proto/resources.ts";
import { Effect, type PackageName, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { World } from "../../reference/core/context.ts";
import { forRpc } from "../../reference/core/decoration.ts";
import type { Destination } from "../../reference/core/deliveries.ts";
import type { CoreParts } from "../../reference/core/parts.ts";
import type { EitherDecoration } from "../fault.ts";
import { idIn, namedId, recordIn, wrapping } from "../steps.ts";

/** An endpoint of either package; event types are of beta.v1 alone. */
type Endpoint = Message & { readonly url: string; readonly enabled: boolean; readonly eventTypes?: unknown[] };

/** What webhooks tell of: of alpha.v1 a job, of beta.v1 an event about a run. */
type Told = Message & { readonly type?: unknown; readonly run?: Message };

/** The parts of either reference that webhooks are made of. */
interface WebhookParts extends CoreParts {
  subscribers(world: World, told: Told): readonly Endpoint[];
  deliveryBody(world: World, told: Told): string;
  destination(world: World, delivery: Message): Destination | undefined;
}

/** Other parts of either reference, for every RPC. */
export const replacingParts = (replace: (parts: WebhookParts) => Partial<WebhookParts>): EitherDecoration =>
  ({ parts: replace }) as unknown as EitherDecoration;

function makingRow(packageName: PackageName): RpcRow {
  const making = rpcs.find(
    (row) => row.package === packageName && row.subject === "webhook_endpoint" && row.effect === Effect.CREATE,
  );
  if (making === undefined) throw new Error(`${packageName} has no webhook endpoints`);
  return making;
}

/** What names an endpoint in its record. */
export const endpointId = (packageName: PackageName, endpoint: Endpoint) =>
  idIn(endpoint, recordFields(makingRow(packageName)).id);

/** Endpoints as they were made, by id, whatever became of them. */
function rememberingEndpoints(packageName: PackageName) {
  const made = new Map<string, Endpoint>();
  const noting = wrapping((next) => async (context, request) => {
    const reply = await next(context, request);
    const endpoint = recordIn(context, reply) as Endpoint | undefined;
    if (endpoint !== undefined) made.set(endpointId(packageName, endpoint), endpoint);
    return reply;
  });
  return { made, handlers: noting(makingRow(packageName)) };
}

/** The field of deliveries that names their endpoint. */
export const deliveredTo = { "alpha.v1": "endpointId", "beta.v1": "webhookEndpointId" };

/** The field of deliveries that is their own id. */
export const deliveryId = { "alpha.v1": "id", "beta.v1": "webhookDeliveryId" };

/** Whether an endpoint is of the workspace, in beta.v1 of the app, that something is told of. */
function isTold(endpoint: Endpoint, told: Told): boolean {
  return told.run === undefined
    ? idIn(endpoint, "workspaceId") === idIn(told, "workspaceId")
    : idIn(endpoint, "appId") === idIn(told.run, "appId");
}

/** Whether an endpoint, as it was made, is for what is told. */
const wants = ({ eventTypes }: Endpoint, { type }: Told) => eventTypes?.includes(type) ?? true;

/** The record of an endpoint that is not deleted. */
function liveEndpoint({ tables }: World, id: string): Endpoint | undefined {
  const entry = tables.webhook_endpoint?.find(id);
  return entry === undefined || entry.deleted ? undefined : (entry.record as Endpoint);
}

/** Tells whoever ever had an endpoint there that wanted to be told, where `hears` says so, at the url of then. */
export const tellingAllEverMade =
  (hears: (now: Endpoint | undefined, told: Told) => boolean) =>
  ({ package: packageName }: RpcRow): EitherDecoration => {
    const { made, handlers } = rememberingEndpoints(packageName);
    return {
      ...handlers,
      ...replacingParts(({ subscribers, destination }) => ({
        subscribers(world, told) {
          const usual = subscribers(world, told);
          const known = new Set(usual.map((one) => endpointId(packageName, one)));
          const others = [...made].filter(
            ([id, one]) =>
              !known.has(id) && isTold(one, told) && wants(one, told) && hears(liveEndpoint(world, id), told),
          );
          return [...usual, ...others.map(([, one]) => one)];
        },
        destination(world, delivery) {
          const url = made.get(idIn(delivery, deliveredTo[packageName]))?.url;
          return destination(world, delivery) ?? (url === undefined ? undefined : { url, secrets: [] });
        },
      })),
    };
  };

/** Deliveries go where the endpoint was at first. */
export const toTheFirstUrl = ({ package: packageName }: RpcRow): EitherDecoration => {
  const { made, handlers } = rememberingEndpoints(packageName);
  return {
    ...handlers,
    ...replacingParts(({ destination }) => ({
      destination(world, delivery) {
        const there = destination(world, delivery);
        const url = made.get(idIn(delivery, deliveredTo[packageName]))?.url;
        return there && { ...there, url: url ?? there.url };
      },
    })),
  };
};

/** Deliveries go on to the url that the first of an endpoint went to. */
export const toTheUrlOfTheFirst = ({ package: packageName }: RpcRow): EitherDecoration => {
  const used = new Map<string, string>();
  return replacingParts(({ destination }) => ({
    destination(world, delivery) {
      const there = destination(world, delivery);
      const id = idIn(delivery, deliveredTo[packageName]);
      if (there === undefined || used.has(id)) return there && { ...there, url: used.get(id) ?? there.url };
      used.set(id, there.url);
      return there;
    },
  }));
};

/** Endpoints hear of what they were made for only, whatever they subscribe to now. */
export const firstTypesOnly = ({ package: packageName }: RpcRow): EitherDecoration => {
  const { made, handlers } = rememberingEndpoints(packageName);
  return {
    ...handlers,
    ...replacingParts(({ subscribers }) => ({
      subscribers: (world, told) =>
        subscribers(world, told).filter((one) => wants(made.get(endpointId(packageName, one)) ?? one, told)),
    })),
  };
};

/** Endpoints as they were when they were first told of something, by id; `wanted` says of which of them news is for now. */
const withTypesOfTheFirst =
  (wanted: (usual: readonly Endpoint[], onceWanted: readonly Endpoint[]) => readonly Endpoint[]) =>
  ({ package: packageName }: RpcRow): EitherDecoration => {
    const told = new Map<string, Endpoint>();
    return replacingParts(({ subscribers }) => ({
      subscribers(world, news) {
        const usual = subscribers(world, news);
        for (const one of usual) {
          const id = endpointId(packageName, one);
          if (!told.has(id)) told.set(id, one);
        }
        const onceWanted = [...told].flatMap(([id, first]) => {
          const now = liveEndpoint(world, id);
          return now?.enabled === true && isTold(now, news) && wants(first, news) ? [now] : [];
        });
        return wanted(usual, onceWanted);
      },
    }));
  };

/** Endpoints hear of nothing that they did not subscribe to when they were first told of something. */
export const typesOfTheFirstOnly = withTypesOfTheFirst((usual, once) => usual.filter((one) => once.includes(one)));

/** Endpoints go on hearing of what they subscribed to when they were first told of something. */
export const typesOfTheFirstToo = withTypesOfTheFirst((usual, once) => [...new Set([...usual, ...once])]);

/** Once the RPC was called about an endpoint, and `ends` says so, the endpoint gets no delivery any more. */
export const silencing =
  (ends: (request: JsonObject) => boolean) =>
  (row: RpcRow): EitherDecoration => {
    const silent = new Set<string>();
    return {
      ...replacingParts(({ subscribers }) => ({
        subscribers: (world, told) =>
          subscribers(world, told).filter((one) => !silent.has(endpointId(row.package, one))),
      })),
      request: forRpc(row.name, (json: JsonObject) => {
        const { value } = (json[subjectFieldOf(row) ?? ""] ?? {}) as { value?: string };
        if (ends(json)) silent.add(String(value).toLowerCase());
        return json;
      }),
    };
  };

/** Redeliveries are recorded, and given up. */
export const notRedelivered = wrapping((next) => async (context, request) => {
  const reply = await next(context, request);
  const id = idIn(request, subjectFieldOf(context.row) ?? "");
  const { deliveries } = context.world as World & { deliveries: { cancel(which: (one: string) => boolean): void } };
  deliveries.cancel((one) => one === id);
  return reply;
});

/** Endpoints hear of everything, whatever they subscribe to, once a call has left them as `isNoted` says of what they were before and are then. */
const allTypesOnce =
  (isNoted: (before: Endpoint | undefined, after: Endpoint) => boolean) =>
  (row: RpcRow): EitherDecoration => {
    const noted = new WeakMap<object, Set<string>>();
    const noting = wrapping((next) => async (context, request) => {
      const before = liveEndpoint(context.world, namedId(context) ?? "");
      const reply = await next(context, request);
      const endpoint = recordIn(context, reply) as Endpoint | undefined;
      const { tables } = context.world;
      const ids = noted.get(tables) ?? new Set<string>();
      noted.set(tables, ids);
      if (endpoint !== undefined && isNoted(before, endpoint)) ids.add(endpointId(row.package, endpoint));
      return reply;
    })(row);
    return {
      ...noting,
      ...replacingParts(({ subscribers }) => ({
        subscribers(world, told) {
          const usual = subscribers(world, told);
          const known = new Set(usual.map((one) => endpointId(row.package, one)));
          const others = [...(noted.get(world.tables) ?? [])]
            .filter((id) => !known.has(id))
            .map((id) => liveEndpoint(world, id))
            .filter((one) => one?.enabled === true && isTold(one, told));
          return [...usual, ...(others as Endpoint[])];
        },
      })),
    };
  };

export const allTypesOnceEnabledAgain = allTypesOnce((_, { enabled }) => !enabled);
export const allTypesOnceMoved = allTypesOnce((before, { url }) => before !== undefined && before.url !== url);
export const allTypesOnceChanged = allTypesOnce(() => true);
