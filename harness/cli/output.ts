import { asciiText, knowsAsciiOnly } from "../output/ascii.ts";
import { createSink } from "../output/sink.ts";

/** A file or a log takes every sign; a terminal those of its locale. */
const plain = process.stdout.isTTY === true && knowsAsciiOnly(process.env);

/** The one way out of the command line's process. */
export const output = createSink(process, plain ? asciiText : undefined);
