/** What may steer a terminal, or turn the direction of writing. */
const unprintable = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;
/** Colours, as reports set them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal begin with one
const colours = /(\u001b\[[0-9;]*m)/;
/** Words that a CI system takes for a command, at the beginning of a line or anywhere in it. */
const commandAtStart = /^(\s*):(?=:)/gmu;
const commandAnywhere = /#(?=#(\[|vso\[))/gu;

const escaped = (character: string) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

function withoutControls(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(unprintable, (character) => {
    return character === "\n" || character === "\t" ? character : escaped(character);
  });
}

/**
 * Text as it may stand on a terminal or in the log of a CI system, whoever wrote it: control characters become visible,
 * and no line is a command (`::error::`, `##[error]`, `##vso[…]`).
 *
 * @param colour colour sequences stay
 */
export function terminalText(text: string, colour: boolean): string {
  const shown = colour
    ? text
        .split(colours)
        .map((part, index) => (index % 2 === 1 ? part : withoutControls(part)))
        .join("")
    : withoutControls(text);
  return shown
    .replaceAll(commandAtStart, (_, space: string) => `${space}${escaped(":")}`)
    .replaceAll(commandAnywhere, escaped("#"));
}
