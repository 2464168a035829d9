/** What printed text does beside being read. */
export interface PrintedHarm {
  /** Lines that a CI service takes for commands. */
  readonly commands: readonly string[];
  /** Characters that steer a terminal. */
  readonly controls: readonly string[];
}

/**
 * Commands of GitHub, which trims before it looks for `::` and takes `##[` wherever it stands, and of Azure Pipelines.
 * A carriage return ends a line too.
 */
const command = /^\s*::[\w-]+[^:]*::|##\[[\w-]+|##vso\[/;

/** Control characters but for line ends and tabs, and the marks that turn the direction of writing. */
const control = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** What steers a terminal or a CI service in this output. */
export function harmIn(text: string): PrintedHarm {
  const found = text.match(control) ?? [];
  return {
    commands: text.split(/[\r\n]/).filter((line) => command.test(line)),
    controls: found
      .filter((one) => one !== "\n" && one !== "\t")
      .map((one) => `U+${one.charCodeAt(0).toString(16).padStart(4, "0")}`),
  };
}
