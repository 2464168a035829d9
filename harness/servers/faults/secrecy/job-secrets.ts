import type { JsonObject } from "@bufbuild/protobuf";
import { PublicTestFixtureService } from "../../../../proto/gen/alpha/v1/public_test_fixture_service_pb.js";
import { JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Call } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import { editAt, onError } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { onMessages } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";
import { notingValues, type Spelling, spellings } from "./spellings.ts";

const idsOf = (ids: unknown) => (Array.isArray(ids) ? ids.map((id) => (id as { value: string }).value) : []);

const hasSecrets = ({ secretIds }: JsonObject) => Array.isArray(secretIds) && secretIds.length > 0;

/** Notes values that come in, and the jobs that were started with secrets. */
function notingJobs() {
  const { noted, hooks } = notingValues();
  const jobs = new Set<string>();
  const note = (json: JsonObject, call: Call): JsonObject => {
    const { id } = (json.job ?? {}) as { id?: { value: string } };
    if (call.rpc.endsWith("/RunAsync") && id !== undefined && hasSecrets(call.request)) jobs.add(id.value);
    return json;
  };
  return { noted, jobs, hooks, note };
}

/** A field violation of the terminal error of a job that was given a secret tells of its value. */
const inTerminalError = (spelling: Spelling) => (): AlphaDecoration => {
  const { noted, jobs, hooks, note } = notingJobs();
  return {
    ...hooks,
    reply(json, call) {
      const { id } = (note(json, call).job ?? {}) as { id?: { value: string } };
      if (call.rpc !== "alpha.v1.JobService/GetJob" || id === undefined || !jobs.has(id.value)) return json;
      const description = `failed with ${noted.latest === undefined ? "none" : spellings[spelling](noted.latest)}`;
      const told = { fieldViolations: [{ field: "secretIds[0]", description }] };
      return editAt(json, "job.terminalError", (error) => ({ ...(error as JsonObject), ...told }));
    },
  };
};

/** A job tells of a secret it was given once that has been changed by this call. */
const onceChangedBy = (change: string) => (): AlphaDecoration => {
  const { noted, hooks } = notingValues();
  const given = new Map<string, readonly string[]>();
  const changed = new Set<string>();
  return {
    ...hooks,
    reply(json, call) {
      const { id } = (json.job ?? {}) as { id?: { value: string } };
      if (call.rpc.endsWith("/RunAsync") && id !== undefined) given.set(id.value, idsOf(call.request.secretIds));
      if (call.rpc.endsWith(change)) for (const one of idsOf([call.request.secretId])) changed.add(one);
      const isTold = given.get(id?.value ?? "")?.some((one) => changed.has(one)) === true;
      if (call.rpc !== "alpha.v1.JobService/GetJob" || !isTold || noted.latest === undefined) return json;
      return { ...json, env: spellings.base64(noted.latest) };
    },
  };
};

/** Webhooks about a job that was given a secret carry its value: of any such job, or of one in a state. */
const inWebhooks = (state?: JobState) => (): AlphaDecoration => {
  const { noted, jobs, hooks, note } = notingJobs();
  return {
    ...hooks,
    reply: note,
    parts: ({ deliveryBody }) => ({
      deliveryBody(world, event) {
        const body = deliveryBody(world, event);
        if (noted.latest === undefined || !jobs.has(idText(event.job.id))) return body;
        if (state !== undefined && event.job.state !== state) return body;
        return JSON.stringify({ ...JSON.parse(body), env: spellings.base64(noted.latest) });
      },
    }),
  };
};

/** Webhooks that are sent again tell of a secret. */
function inRedeliveries(): AlphaDecoration {
  const { noted, hooks } = notingValues();
  return {
    ...hooks,
    handlers: around(WebhookService.method.redeliverWebhookDelivery, (next) => (context, request) => {
      const { deliveryBodies } = context.world;
      const id = idText(request.deliveryId);
      const body = deliveryBodies.get(id);
      if (body !== undefined && noted.latest !== undefined)
        deliveryBodies.set(id, JSON.stringify({ ...JSON.parse(body), env: spellings.hex(noted.latest) }));
      return next(context, request);
    }),
  };
}

/** The results of a job that was given a secret hold its value. */
function inResults(): AlphaDecoration {
  const { noted, jobs, hooks, note } = notingJobs();
  return {
    ...hooks,
    reply: note,
    parts: ({ serveDownload }) => ({
      serveDownload(world, artifact, content) {
        const served = serveDownload(world, artifact, content);
        const isTold = noted.latest !== undefined && jobs.has(idText(artifact.owningJobId));
        if (noted.latest === undefined || !isTold) return served;
        return {
          ...served,
          body: Buffer.concat([served.body, Buffer.from(`\nenv ${spellings.plain(noted.latest)}\n`)]),
        };
      },
    }),
  };
}

/** Every message of a watch tells of a secret that its job was given. */
function inWatches(): AlphaDecoration {
  const { noted, jobs, hooks, note } = notingJobs();
  return {
    ...hooks,
    reply(json, call) {
      const { id } = (note(json, call).job ?? {}) as { id?: { value: string } };
      if (call.rpc !== "alpha.v1.JobService/WatchJob" || id === undefined || !jobs.has(id.value)) return json;
      return noted.latest === undefined ? json : { ...json, env: spellings.plain(noted.latest) };
    },
  };
}

/** What a fixture answers ends with the value of the second secret it was given. */
const inOutput: AlphaDecoration = {
  handlers: around(PublicTestFixtureService.method.runSync, (next) => async (context, request) => {
    const reply = await next(context, request);
    const { secretValues, vault } = context.world;
    const id = idText(request.secretIds[1]);
    const sealed = secretValues.get(id);
    if (sealed === undefined) return reply;
    return { ...reply, output: `${reply.output} ${Buffer.from(vault.open(id, sealed)).toString("base64")}` };
  }),
};

/** What a fixture answers ends with the value that a secret it was given had before it was rotated. */
function rotatedInOutput(): AlphaDecoration {
  const values = new Map<string, string>();
  const earlier = new Map<string, string>();
  return {
    reply(json, { rpc, request }) {
      const { value } = request;
      const { id } = (json.secret ?? {}) as { id?: { value: string } };
      if (id !== undefined && typeof value === "string") {
        const before = values.get(id.value);
        if (rpc.endsWith("/RotateSecret") && before !== undefined) earlier.set(id.value, before);
        values.set(id.value, value);
      }
      if (!rpc.endsWith("/RunSync")) return json;
      const told = idsOf(request.secretIds).flatMap((one) => earlier.get(one) ?? []);
      return told.length === 0 ? json : { ...json, output: `${json.output} ${told.join(" ")}` };
    },
  };
}

/** The messages of a stream from its second on tell of the secret it was given. */
const inLaterMessages = (row: RpcRow): AlphaDecoration => {
  const { noted, hooks } = notingValues();
  const telling = onMessages(({ request }) => {
    let sent = 0;
    return (message) => {
      sent += 1;
      if (sent === 1 || noted.latest === undefined || !hasSecrets(request)) return [message];
      return [{ ...message, output: `${message.output} ${spellings.plain(noted.latest)}` }];
    };
  });
  return { ...hooks, ...telling(row) };
};

/** The failure of a fixture that was given a secret, not the refusal of one, tells of its value. */
const inFailure = (row: Parameters<ReturnType<typeof onError>>[0]): AlphaDecoration => {
  const { noted, hooks } = notingValues();
  return {
    ...hooks,
    ...onError((error, { request }) => {
      const fails = String(request.input).startsWith("fail") && error.code === "failed_precondition";
      if (noted.latest === undefined || !fails || !hasSecrets(request)) return error;
      return { ...error, message: `failed with env [${spellings.hex(noted.latest)}]` };
    })(row),
  };
};

export const jobSecretLeaks: readonly Fault[] = faultsOf("secrecy", "alpha.v1", {
  "*.secrets.write-only": {
    "GetJob-terminal-error-tells-secret": [
      "tells in its terminal error of a secret that a failed job was given",
      inTerminalError("plain"),
    ],
    "GetJob-terminal-error-prints-bytes": [
      "prints in its terminal error the bytes of a secret that a failed job was given",
      inTerminalError("as-numbers"),
    ],
    "GetJob-tells-deleted-secret": [
      "tells of a secret of a job once that is deleted, in base64",
      onceChangedBy("/DeleteSecret"),
    ],
    "GetJob-tells-rotated-secret": [
      "tells of a secret of a job once that is rotated, in base64",
      onceChangedBy("/RotateSecret"),
    ],
    "WatchJob-tells-secret-of-job": ["tells of a secret that the job it shows was given", inWatches],
    "RunSync-failure-tells-secret": ["tells of the secret it was given where it fails, in hex", inFailure],
    "RunSync-output-tells-second-secret": ["ends its output with the second secret it was given, in base64", inOutput],
    "RunSync-output-tells-value-before-rotation": [
      "ends its output with the value that a secret it was given had before it was rotated, in base64",
      rotatedInOutput,
    ],
    "RunStream-later-messages-tell-secret": [
      "tells from its second message on of the secret it was given",
      inLaterMessages,
    ],
    "RunStream-failure-tells-secret": ["tells of the secret it was given where it fails, in hex", inFailure],
    "CreateArtifactDownload-results-tell-secret": [
      "serves results of a job with the value of a secret that the job was given",
      inResults,
    ],
    "CreateWebhookEndpoint-body-tells-secret-of-job": [
      "has webhooks tell of a secret that their job was given, in base64",
      inWebhooks(),
    ],
    "CreateWebhookEndpoint-body-sent-again-tells-secret": [
      "has webhooks tell of a secret once they are sent again, in hex",
      inRedeliveries,
    ],
    "CreateWebhookEndpoint-body-tells-secret-of-failed-job": [
      "has webhooks about failed jobs tell of a secret that the job was given, in base64",
      inWebhooks(JobState.FAILED),
    ],
    "CreateWebhookEndpoint-body-tells-secret-of-canceled-job": [
      "has webhooks about canceled jobs tell of a secret that the job was given, in base64",
      inWebhooks(JobState.CANCELED),
    ],
  },
});
