import type { JsonObject } from "@bufbuild/protobuf";
import type { Fault } from "../fault.ts";
import { onMessages, type Rewrite } from "../stream-messages.ts";
import { faultsOf } from "../table.ts";

/** A character of two code units that is cut between them: one half ends a fragment, the other begins the next. */
const [high, low] = ["\ud83d", "\udc68"];

/** Fragments of a text that are cut within a character. */
const cutting =
  (read: (message: JsonObject) => string, write: (message: JsonObject, text: string) => JsonObject): Rewrite =>
  () => {
    let begun = false;
    return (message) => {
      const text = begun ? `${low}${read(message)}` : read(message);
      begun = true;
      return [write(message, `${text}${high}`)];
    };
  };

const eventOf = (message: JsonObject) => message.event as JsonObject;

/** Text beyond ASCII that is cut anywhere. */
export const cutTextFaults: readonly Fault[] = [
  ...faultsOf("stream", "alpha.v1", {
    "json.reply.scalars": {
      "RunStream-cuts-within-a-character": [
        "cuts what it puts out within a character",
        onMessages(
          cutting(
            (message) => String(message.output ?? ""),
            (message, output) => ({ ...message, output }),
          ),
        ),
      ],
    },
  }),
  ...faultsOf("stream", "beta.v1", {
    "json.reply.scalars": {
      "StreamRunText-cuts-within-a-character": [
        "cuts the text of a run within a character",
        onMessages(
          cutting(
            (message) => String(eventOf(message).delta ?? ""),
            (message, delta) => ({ ...message, event: { ...eventOf(message), delta } }),
          ),
        ),
      ],
    },
  }),
];
