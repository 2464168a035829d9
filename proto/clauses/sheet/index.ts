import { json } from "./json.ts";
import type { SheetChapter, SheetRow } from "./row.ts";
import { streams } from "./streams.ts";
import { traps, uuids } from "./traps.ts";
import { unary } from "./unary.ts";

export type { SheetChapter, SheetRow };

/**
 * The protocol sheet: what Connect and ProtoJSON ask of a server, in our own words. It has the rows that something in this
 * project cites. Their ids are stable and never reused.
 */
export const sheet: readonly SheetChapter[] = [...unary, ...streams, ...json, uuids, traps];
