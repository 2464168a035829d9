import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

/** The UUID text form of RFC 9562 §4, any version. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The text form of a version 7 UUID (RFC 9562 §5.7). */
export const uuidV7Pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * A source of version 7 UUIDs, ascending as text. Within one millisecond a counter in `rand_a` keeps the order
 * (RFC 9562 §6.2, method 1); when it runs over, the timestamp runs ahead of the clock.
 */
export function createIds(clock: Clock, random: Random): () => string {
  let stamp = 0;
  let counter = 0;
  return () => {
    const now = clock.now();
    if (now > stamp) {
      stamp = now;
      counter = random.between(0, 0x3ff);
    } else if (++counter > 0xfff) {
      stamp++;
      counter = 0;
    }
    const time = stamp.toString(16).padStart(12, "0");
    const order = counter.toString(16).padStart(3, "0");
    const high = ((random.uint32() & 0x3fff) | 0x8000).toString(16);
    const low = random.uint32().toString(16).padStart(8, "0") + (random.uint32() >>> 16).toString(16).padStart(4, "0");
    return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${high}-${low}`;
  };
}
