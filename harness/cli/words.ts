/** A word as a shell takes it. */
export function quoteWord(word: string): string {
  return /^[\w./:@=,+*-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The words of a command as `quoteWord` wrote them. */
export function splitWords(command: string): readonly string[] {
  const words = command.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g);
  return [...words].map(([word]) => word.replaceAll(/'([^']*)'|\\(.)/g, (_, quoted, escaped) => quoted ?? escaped));
}
