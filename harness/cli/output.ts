import { createSink } from "../output/sink.ts";

/** The one way out of the command line's process. */
export const output = createSink(process);
