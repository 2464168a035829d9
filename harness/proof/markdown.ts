/** A table in Markdown: the first column to the left, the others, numbers mostly, to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? "---" : "--:"))), ...rows.map(line), ""];
}

/** Code in a cell: backquotes in it would end it. */
export function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}
