// The data behind a picture as a table, for CSV files.

export type Cell = string | number | null;

/** The first row has the names of the columns. Units end the names, as in results. */
export type Rows = [header: string[], ...rows: Cell[][]];

/** RFC 4180. */
export function csv(rows: Rows): string {
  return rows.map((row) => row.map(field).join(",") + "\r\n").join("");
}

function field(cell: Cell): string {
  if (cell === null) return "";
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
