/** Columns of the terminal that standard output is; those of COLUMNS elsewhere; undefined where neither says. */
export function outputColumns(): number | undefined {
  const columns: number | undefined = process.stdout.columns;
  if (columns !== undefined && columns > 0) return columns;
  const told = Number(process.env.COLUMNS);
  return Number.isInteger(told) && told > 0 ? told : undefined;
}

/** The width a report is drawn for, where one is known. */
export function reportWidth(): { readonly columns?: number } {
  const columns = outputColumns();
  return columns === undefined ? {} : { columns };
}
