/** Control characters, lone surrogates, and the marks that turn the direction of writing. */
const unprintable = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;

/** Makes text of a target safe to print: what could steer a terminal becomes visible, line ends stay. */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(unprintable, (character) => {
    if (character === "\n" || character === "\t") return character;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
