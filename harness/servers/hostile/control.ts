import { hostDecorated } from "./decorated.ts";
import { inPhase } from "./hostile.ts";

/** No harm at all: what the others are measured by. */
export const controlTargets = inPhase("control", [
  {
    name: "reference",
    says: "is the references as they are",
    start: () => hostDecorated({}),
    expect: { exit: [0], maxSeconds: 180 },
  },
]);
