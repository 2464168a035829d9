/** Whether an envelope of the Connect protocol ends its stream (bit 1). */
export function isEnd(flags: number): boolean {
  return (flags & 2) !== 0;
}

/** Envelope flags of the Connect protocol in words: bit 0 compressed, bit 1 end of stream. */
export function flagWords(flags: number): string {
  const words = [isEnd(flags) ? "end of stream" : "message", (flags & 1) !== 0 ? "compressed" : ""];
  return `${words.filter((word) => word !== "").join(", ")} (flags ${flags})`;
}

/** Round times on an axis from 0 to the end, in milliseconds: four to eight of them, none too near to the end. */
export function ticksUpTo(end: number): readonly number[] {
  const rough = end / 5;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = Math.max(1, ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power);
  return Array.from({ length: Math.floor((end * 0.94) / step) + 1 }, (_, index) => index * step);
}

/** What of `message[2].event.sequence` is about envelope 2: `event.sequence`. */
export function aboutFrame(about: readonly string[], index: number): readonly string[] {
  const prefix = `message[${index}].`;
  return about.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []));
}
