import { afterAll } from "vitest";
import { createOrder } from "../harness/runner/order.ts";
import { openSession } from "../harness/runner/session.ts";
import { judgedServices, startEmbedded } from "../harness/servers/reference/embedded.ts";
import { checkTarget } from "../harness/target/load.ts";
import { declareTests } from "../harness/vitest/tests.ts";
import { loadCases } from "./cases.ts";

/** The embedded references, judged as one more test of the project. */
const cases = await loadCases();
const reference = await startEmbedded(judgedServices);
const target = checkTarget(reference.file, "the embedded reference");
const order = createOrder({ target, seed: 1, runs: 20, command: "hallmark run --embedded" }, cases);
const session = openSession(order, cases);

declareTests(session, { triage: true });
afterAll(() => reference.close());
