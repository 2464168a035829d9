import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";
import { z } from "zod";
import { clauses } from "../../proto/clauses/index.ts";
import { rpcs } from "../../proto/rpcs.ts";
import type { Results } from "../case/result.ts";
import { UsageError } from "../target/load.ts";

const pinSchema = z.strictObject({
  clause: z.string().min(1).describe("The open clause."),
  rpc: z.string().min(1),
  values: z.array(z.string().min(1)).min(1).describe("What the server may be seen to choose there."),
});

const profileSchema = z.strictObject({
  format: z.literal("hallmark-profile/1", { error: 'must be "hallmark-profile/1"' }),
  pinned: z.array(pinSchema),
});

/** What a server chose at one open clause on one RPC. */
export type Pin = z.output<typeof pinSchema>;
/** What a server chose where the contract is open, pinned by its owner. */
export type Profile = z.output<typeof profileSchema>;

/** A choice that is no longer what was pinned. */
export interface Drift extends Pin {
  /** Values seen that are not pinned. */
  readonly seen: readonly string[];
}

/** A run held against a profile. */
export interface ProfileCheck {
  /** Pinned points where something else was seen. */
  readonly drifted: readonly Drift[];
  /** Pinned points the run saw nothing of. */
  readonly unseen: readonly Pin[];
  /** Points the profile does not pin. */
  readonly unpinned: readonly Pin[];
}

/** Reads a profile, YAML or JSON. @throws UsageError with one sentence */
export function readProfile(file: string): Profile {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file}: the profile cannot be read (${code}); check the path.`);
  }
  return parseProfile(text, file);
}

/** Reads the text of a profile. @throws UsageError naming the pin and the cure */
export function parseProfile(text: string, file: string): Profile {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw new UsageError(`${file}: it is neither YAML nor JSON; correct it.`);
  const parsed = profileSchema.safeParse(document.toJS());
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(
      `${file}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "is wrong"}; see docs/gating.md.`,
    );
  }
  for (const { clause, rpc } of parsed.data.pinned) {
    const known = clauses.find(({ id }) => id === clause);
    if (known?.level !== "open") {
      throw new UsageError(`${file}: ${clause} is no open clause of the contract; only what is open can be pinned.`);
    }
    if (!rpcs.some(({ name }) => name === rpc))
      throw new UsageError(`${file}: there is no RPC ${rpc}; correct the pin.`);
  }
  return parsed.data;
}

const keyOf = ({ clause, rpc }: { readonly clause: string; readonly rpc: string }) => `${clause} ${rpc}`;

/** The profile a run's observations make. */
export function profileOf({ observations }: Pick<Results, "observations">): Profile {
  const points = Map.groupBy(observations, keyOf);
  const pinned = [...points.values()].flatMap(([first, ...rest]): Pin[] =>
    first === undefined
      ? []
      : [
          {
            clause: first.clause,
            rpc: first.rpc,
            values: [...new Set([first, ...rest].map(({ value }) => value))].sort(),
          },
        ],
  );
  return { format: "hallmark-profile/1", pinned: pinned.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) };
}

/** Holds a run against a profile. */
export function checkProfile(results: Pick<Results, "observations">, profile: Profile): ProfileCheck {
  const seen = profileOf(results).pinned;
  const known = new Map(profile.pinned.map((pin) => [keyOf(pin), pin]));
  const keys = new Set(seen.map(keyOf));
  return {
    drifted: seen.flatMap((now): Drift[] => {
      const pin = known.get(keyOf(now));
      const other = now.values.filter((value) => pin?.values.includes(value) === false);
      return pin === undefined || other.length === 0 ? [] : [{ ...pin, seen: other }];
    }),
    unseen: profile.pinned.filter((pin) => !keys.has(keyOf(pin))),
    unpinned: seen.filter((now) => !known.has(keyOf(now))),
  };
}
