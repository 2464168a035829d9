import { storedFields } from "../../../../proto/resources.ts";
import { Change, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { anybodyWhere, noScopeWhere } from "./any-kind.ts";

/** The fields that an update sets, without those that say of what. */
const settable = (row: RpcRow) => {
  const ids = new Set(["workspaceId", "appId", ...row.ids.map(({ name }) => name)]);
  return storedFields(row).filter(({ jsonName }) => !ids.has(jsonName));
};

const setting = rpcs.filter((row) => row.change === Change.SETS && settable(row).length > 1);

/** Whether a call sets one field alone. */
const setsOnly =
  (name: string) =>
  ({ row, call }: Context): boolean =>
    settable(row).every(({ jsonName }) => (jsonName === name) === (call.request[jsonName] !== undefined));

const keeping = (decoration: EitherDecoration): EitherDecoration =>
  ({ ...decoration, choices: { emptyUpdateField: "keep" } }) as EitherDecoration;

const atEach = (
  what: string,
  says: string,
  breaks: string,
  decorate: (name: string) => (row: RpcRow) => EitherDecoration,
): readonly Fault[] =>
  setting.flatMap((row) =>
    settable(row).flatMap(({ jsonName }) =>
      faultsAt([row], {
        id: `auth/${what}-to-set-${jsonName}-alone`,
        says: `${says} where ${jsonName} alone is set`,
        breaks,
        decorate: (one) => keeping(decorate(jsonName)(one)),
      }),
    ),
  );

/** Updates that are guarded where they set all there is. */
export const singleFields: readonly Fault[] = [
  ...atEach("needs-no-scope", "asks for no scope", "*.auth.scope", (name) => noScopeWhere(setsOnly(name))),
  ...atEach("needs-no-key", "asks for no credential", "*.auth.required", (name) => anybodyWhere(setsOnly(name))),
];
