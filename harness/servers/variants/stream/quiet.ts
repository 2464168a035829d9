import type { ServerResponse } from "node:http";
import { isObject } from "../json.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** Holds back what is written, the head of the reply included, until it ends. */
function holdBack(response: ServerResponse): void {
  const [write, end] = [response.write.bind(response), response.end.bind(response)];
  const held: Uint8Array[] = [];
  response.flushHeaders = () => {};
  response.write = ((bytes: Uint8Array) => {
    held.push(bytes);
    return true;
  }) as typeof response.write;
  response.end = ((bytes?: Uint8Array) => {
    for (const one of held) write(one);
    return end(bytes);
  }) as typeof response.end;
}

/** Streams that show less, or later. */
export const quietStreamVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "streams-held-back",
    says: "holds back the messages of a stream until it ends, as a proxy that buffers does",
    open: ["TR-17"],
    alone: true,
    decoration: {
      raw({ url = "" }, response, next) {
        if (/\/(WatchRun|StreamRunText)$/.test(url)) holdBack(response);
        next();
      },
    },
  }),
  defineBetaVariant({
    id: "events-without-errors",
    says: "shows the error of a failed run in the run, and not in its events",
    open: ["PJ-42"],
    decoration: {
      reply({ event, ...others }) {
        if (!isObject(event)) return event === undefined ? others : { ...others, event };
        const { error: _, ...shown } = event;
        return { ...others, event: shown };
      },
    },
  }),
];
