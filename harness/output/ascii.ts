/** What stands for the signs of reports where a terminal knows ASCII alone. Each that stands in a table keeps its width. */
const signs: Readonly<Record<string, string>> = {
  "✓": "+",
  "✗": "x",
  "○": "o",
  "◐": "~",
  "▲": "^",
  "·": ".",
  "•": "*",
  "…": "...",
  "→": "->",
  "↔": "<->",
  "–": "-",
  "—": "-",
  "“": '"',
  "”": '"',
  "‘": "'",
  "’": "'",
  "█": "#",
  "░": "-",
};

const known = new RegExp(`[${Object.keys(signs).join("")}]`, "gu");

/** Text with ASCII in the place of our own signs. What a server wrote stays as it is: nobody could read it otherwise. */
export function asciiText(text: string): string {
  return text.replaceAll(known, (sign) => signs[sign] ?? sign);
}

/**
 * Whether a terminal shows no more than ASCII: its locale says so, `C`, `POSIX` or a charset other than UTF-8. Where nothing says
 * anything, as in most containers and logs of CI systems, it is UTF-8.
 */
export function knowsAsciiOnly({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((one) => one !== undefined && one !== "");
  return locale !== undefined && !/utf-?8/i.test(locale);
}
