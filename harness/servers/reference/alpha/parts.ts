import type { Duration } from "@bufbuild/protobuf/wkt";
import type {
  Artifact,
  Job,
  MiniAppDescriptor,
  WebhookDelivery,
  WebhookEndpoint,
} from "../../../../proto/gen/alpha/v1/resources_pb.js";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Destination } from "../core/deliveries.ts";
import type { CoreParts } from "../core/parts.ts";
import type { AlphaContext, AlphaWorld } from "./world.ts";

/** A download as it goes out. */
export interface Served {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A job came to its end. */
export interface JobEvent {
  readonly eventId: string;
  readonly type: "job.succeeded" | "job.failed" | "job.canceled";
  readonly job: Job;
}

/** The replaceable parts of an alpha reference: the core's, and these. */
export interface AlphaParts extends CoreParts<AlphaWorld> {
  /** Whether the base URL serves an RPC, where the fixtures have a URL of their own. */
  servesInProduction(row: RpcRow): boolean;
  /** How long an artifact is kept. Refuses a retention the mini app does not grant. */
  retention(context: AlphaContext, miniApp: MiniAppDescriptor, requested: Duration | undefined): Duration | undefined;
  /** What time has changed of an artifact, if anything. */
  expire(world: AlphaWorld, artifact: Artifact): Partial<Artifact> | undefined;
  /** Judges an upload as it arrives; header names in lower case. Refuses by throwing. */
  acceptUpload(
    world: AlphaWorld,
    artifact: Artifact,
    headers: Readonly<Record<string, string>>,
    content: Uint8Array,
  ): void;
  /** Judges the content at completion; gives the fields it changes. Refuses by throwing. */
  checkContent(world: AlphaWorld, artifact: Artifact, content: Uint8Array): Partial<Artifact>;
  /** What a download is answered with. */
  serveDownload(world: AlphaWorld, artifact: Artifact, content: Uint8Array): Served;
  /** The endpoints an event goes to. */
  subscribers(world: AlphaWorld, job: Job): WebhookEndpoint[];
  /** Where a delivery goes now and what signs it; undefined: nowhere, it is canceled. */
  destination(world: AlphaWorld, delivery: WebhookDelivery): Destination | undefined;
  /** The body of an event's webhooks. */
  deliveryBody(world: AlphaWorld, event: JobEvent): string;
}
