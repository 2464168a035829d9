import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { needed } from "../../target/target.ts";
import type { Resource } from "../package.ts";

/** A mini app as the target shows it: the suite makes none. Throws Unproven where it is not shown. */
async function findMiniApp({ setup }: CaseContext, id: string): Promise<Subject> {
  const found = await setup.current({ kind: "mini_app", id, record: {}, version: "0", changesOnlyByMutation: true });
  if (found === undefined) throw new Unproven(`needs the mini app ${id} of the target file, which GetMiniApp refuses`);
  return found;
}

/** Mini apps: those that the target file names. */
export const miniApp: Resource = {
  async create(context) {
    const [id] = context.target.alpha.miniAppIds;
    return findMiniApp(context, needed(id, "alpha.miniAppIds", "a mini app that exists"));
  },
  createMany: (context, count) =>
    Promise.all(context.target.alpha.miniAppIds.slice(0, count).map((id) => findMiniApp(context, id))),
};
