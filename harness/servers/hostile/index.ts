import type { HostileTarget } from "./hostile.ts";

/** Targets by phase, each phase loaded when it is asked for: few need the references. */
const phases: Readonly<Record<string, () => Promise<readonly HostileTarget[]>>> = {
  control: async () => (await import("./control.ts")).controlTargets,
  tcp: async () => (await import("./tcp.ts")).tcpTargets,
  tls: async () => (await import("./tls.ts")).tlsTargets,
  "http-head": async () => (await import("./http-head.ts")).httpHeadTargets,
  "http-body": async () => (await import("./http-body.ts")).httpBodyTargets,
  http2: async () => (await import("./http2.ts")).http2Targets,
  framing: async () => (await import("./framing.ts")).framingTargets,
  json: async () => (await import("./json.ts")).jsonTargets,
  answers: async () => (await import("./answers.ts")).answerTargets,
  records: async () => (await import("./records.ts")).recordTargets,
  reflecting: async () => (await import("./reflecting.ts")).reflectingTargets,
  disclosing: async () => (await import("./disclosing.ts")).disclosingTargets,
  texts: async () => (await import("./texts.ts")).textTargets,
  addresses: async () => (await import("./addresses.ts")).addressTargets,
};

/** Every hostile target, phase by phase, each under an id of its own. */
export async function loadHostileTargets(): Promise<readonly HostileTarget[]> {
  return (await Promise.all(Object.values(phases).map((load) => load()))).flat();
}

/** The hostile target with this id. Throws where there is none. */
export async function findHostileTarget(id: string): Promise<HostileTarget> {
  const found = (await phases[id.slice(0, id.indexOf("/"))]?.())?.find((target) => target.id === id);
  if (found === undefined) throw new Error(`there is no hostile target ${id}`);
  return found;
}
