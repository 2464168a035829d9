import type { ProvedServer } from "./proof.ts";

type SeededAlarm = ProvedServer["alarms"][number];

/** Alarms of a conforming server, by whether they count. */
export interface ConfirmedAlarms {
  readonly confirmed: readonly SeededAlarm[];
  /** Cases that were unproven, or not exercised, once and not when they were put again. */
  readonly passing: readonly SeededAlarm[];
}

/** Whether an alarm accuses nobody: the case lacked something, a reply in time for instance, or what came left it nothing to ask. */
const accusesNobody = ({ what }: SeededAlarm) => what.startsWith("unproven: ") || what.startsWith("not-exercised: ");

const keyOf = ({ case: id, rpc, seed }: SeededAlarm) => JSON.stringify([id, rpc, seed]);

/**
 * Proves a conforming server, and once more where a case was unproven, as a machine that proves many servers at once may leave
 * one without the time it needs. What accuses nobody counts where it is so both times. Any other alarm counts the first time.
 *
 * @param prove proves the server, the same at each call. What it rejects with, this does
 */
export async function confirmAlarms(prove: () => Promise<ProvedServer>): Promise<ConfirmedAlarms> {
  const { alarms } = await prove();
  if (!alarms.some(accusesNobody)) return { confirmed: alarms, passing: [] };
  const again = (await prove()).alarms;
  const unproven = new Set(alarms.filter(accusesNobody).map(keyOf));
  const stillAlarms = new Set(again.map(keyOf));
  const stays = (alarm: SeededAlarm) => !accusesNobody(alarm) || stillAlarms.has(keyOf(alarm));
  return {
    confirmed: [
      ...alarms.filter(stays),
      ...again.filter((alarm) => !accusesNobody(alarm) && !unproven.has(keyOf(alarm))),
    ],
    passing: [
      ...alarms.filter((alarm) => !stays(alarm)),
      ...again.filter((alarm) => accusesNobody(alarm) && !unproven.has(keyOf(alarm))),
    ],
  };
}
