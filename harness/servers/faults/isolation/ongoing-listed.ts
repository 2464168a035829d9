import type { Message } from "@bufbuild/protobuf";
import { JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { rpc } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { workspacesOf } from "../second-tenant.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { recordsOf } from "./listings.ts";

/** Lists jobs of every workspace where they are asked for by this state. */
const listingAnywhere = (asked: JobState) =>
  wrapping((next) => async (context, request) => {
    const reply = (await next(context, request)) as Message;
    if (readField(request as Message, "state") !== asked) return reply;
    const found = recordsOf(context, workspacesOf(context.world)).filter(
      (record) => readField(record, "state") === asked,
    );
    return Object.assign(reply, { [context.row.list?.field.localName ?? ""]: found, page: undefined });
  });

const states = [
  ["what-goes-on", "goes on", JobState.RUNNING],
  ["what-is-being-canceled", "is being canceled", JobState.CANCELING],
] as const;

/** Jobs that pass through a state are listed by it whatever their workspace. */
export const ongoingListedAnywhere: readonly Fault[] = states.flatMap(([name, says, state]) =>
  faultsAt([rpc("alpha.v1.JobService/ListJobs")], {
    id: `isolation/lists-${name}-of-every-workspace`,
    says: `lists what ${says} by its state, whatever its workspace`,
    breaks: "*.isolation.list",
    also: ["*.records.identity"],
    decorate: listingAnywhere(state),
  }),
);
