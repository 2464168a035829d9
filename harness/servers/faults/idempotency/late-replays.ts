import { clone, type Message } from "@bufbuild/protobuf";
import { isChangeable, recordFields } from "../../../../proto/resources.ts";
import { Change, Effect } from "../../../../proto/rpcs.ts";
import type { Context, Reply } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { readField } from "../../reference/core/fields.ts";
import { versionOf } from "../../reference/core/subject.ts";
import type { Fault } from "../fault.ts";
import { creating, type Effecting, fault, idOf, isCountable, pretence, steady, treating } from "./treatment.ts";

/** The requestIds of all RPCs are one memory: one that made the record is answered as if the change had been made. */
export const acrossRpcs: readonly Fault[] = steady.filter(isCountable).map((row) =>
  fault(
    row,
    "knows-ids-of-other-rpcs",
    "answers a requestId another RPC was called with as if it had been done",
    "*.idempotency.no-pretence",
    {
      parts: (parts) => {
        const seen = new Set<string>();
        return {
          async idempotent(context: Context, effect: Effecting) {
            const id = idOf(context);
            if (context.row.name === row.name && seen.has(id)) return pretence(context);
            if (context.row.name !== row.name) seen.add(id);
            return parts.idempotent(context, effect);
          },
        };
      },
    },
  ),
);

/** A known requestId is answered with its first reply, whatever else is asked. */
export const pretendedMutations: readonly Fault[] = steady
  .filter((row) => row.effect === Effect.UPDATE)
  // What is revoked or decided already is so the second time, whoever says it.
  .filter(({ change }) => change !== Change.REVOKES && change !== Change.DECIDES)
  .map((row) =>
    fault(
      row,
      "pretends",
      "answers a changed mutation under a known requestId as if it had been done",
      "*.idempotency.no-pretence",
      treating(row, () => {
        const served = new Map<string, Reply>();
        return async (context, _effect, standard) => {
          const known = served.get(idOf(context));
          if (known !== undefined) return clone(row.output, known as Message);
          const reply = await standard();
          served.set(idOf(context), reply);
          return reply;
        };
      }),
    ),
  );

/** A requestId whose call was refused counts as done: the right call under it does nothing. */
export const pretendedRetries: readonly Fault[] = steady.map((row) =>
  fault(
    row,
    "takes-a-refusal-for-done",
    "answers a call whose requestId was refused before as if it had been done",
    "*.idempotency.no-pretence",
    treating(row, () => {
      const refused = new Set<string>();
      return async (context, _effect, standard) => {
        if (refused.has(idOf(context))) return pretence(context);
        try {
          return await standard();
        } catch (error) {
          refused.add(idOf(context));
          throw error;
        }
      };
    }),
  ),
);

/** A replay is done again once the record has moved on: its own version is not asked for. */
export const comesBack: readonly Fault[] = steady
  .filter((row) => row.effect === Effect.UPDATE && isChangeable(row))
  // What is revoked cannot be revoked again.
  .filter(({ change }) => change !== Change.REVOKES)
  .map((row) => {
    const again = new Set<Context>();
    return fault(
      row,
      "comes-back",
      "does a mutation again whose replay comes after another change",
      "*.idempotency.one-effect",
      treating(
        row,
        () => {
          const after = new Map<string, bigint>();
          return async (context, effect, standard) => {
            const known = after.get(idOf(context));
            const current = () => versionOf(context.world.parts.findSubject(context) as Message);
            if (known !== undefined && current() !== known) {
              again.add(context);
              return await effect();
            }
            const reply = await standard();
            if (known === undefined) after.set(idOf(context), current());
            return reply;
          };
        },
        (parts) => ({
          checkVersion: onRpc(row.name, parts.checkVersion, (context: Context) => {
            if (!again.has(context)) parts.checkVersion(context);
          }),
        }),
      ),
    );
  });

/** The record a reply shows, as it is by now; undefined where it is gone. */
function currentOf({ row, world }: Context, reply: Message): Message | undefined {
  const record = readField(reply, row.record?.field.localName ?? "") as Message;
  const id = readField(record, recordFields(row).id) as { readonly value: string };
  return world.tables[row.subject]?.find(id.value)?.record;
}

/** A creating call is done again once what it made has changed. */
export const madeAgain: readonly Fault[] = creating.filter(isChangeable).map((row) =>
  fault(
    row,
    "makes-another-after-a-change",
    "makes another resource when its replay comes after a change",
    "*.idempotency.one-effect",
    treating(row, () => {
      const made = new Map<string, bigint>();
      return async (context, effect, standard) => {
        const reply = (await standard()) as Message;
        const current = currentOf(context, reply);
        const version = current === undefined ? 0n : versionOf(current);
        const first = made.get(idOf(context)) ?? version;
        made.set(idOf(context), first);
        return version !== 0n && version !== first ? await effect() : reply;
      };
    }),
  ),
);
