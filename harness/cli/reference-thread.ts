import { parentPort } from "node:worker_threads";
import { judgedServices, startEmbedded } from "../servers/reference/embedded.ts";

/** The thread of the reference services: tells their target file once they listen, and ends once it is told anything. */
const reference = await startEmbedded(judgedServices);
parentPort?.once("message", async () => {
  await reference.close();
  parentPort?.close();
});
parentPort?.postMessage(reference.file);
