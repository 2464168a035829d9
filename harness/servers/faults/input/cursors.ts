import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

const listing: readonly RpcRow[] = rpcs.filter((row) => row.list !== undefined);

/** Reads a cursor as what it would be if it had been issued; what cannot be read is nobody's business. */
const reading = (read: (cursor: string) => unknown) =>
  replacing(({ decodeCursor }) => ({
    decodeCursor(context, cursor, filter) {
      const position = decodeCursor(context, cursor, filter);
      if (position === undefined) read(cursor);
      return position;
    },
  }));

export const unparsedCursors: readonly Fault[] = faultsAt(listing.slice(0, 4), {
  id: "input/fails-at-cursors-of-no-json",
  says: "fails at a cursor that is no JSON in base64",
  breaks: "json.request.no-server-error",
  decorate: reading((cursor) => JSON.parse(Buffer.from(cursor, "base64").toString())),
});

export const strangeCursors: readonly Fault[] = faultsAt(listing.slice(4), {
  id: "input/fails-at-cursors-of-other-json",
  says: "fails at a cursor that is other JSON in base64, and refuses what is none",
  breaks: "json.request.no-server-error",
  decorate: reading((cursor) => {
    const json = Buffer.from(cursor, "base64").toString();
    if (json.startsWith("{")) throw new TypeError(`there is no position in ${json}`);
  }),
});

export const longCursors: readonly Fault[] = faultsAt(listing.slice(0, 2), {
  id: "input/fails-at-long-cursors",
  says: "fails at a cursor of more than 4096 characters",
  breaks: "json.request.no-server-error",
  decorate: reading((cursor) => {
    if (cursor.length > 4096) throw new RangeError("the cursor is too long");
  }),
});
