/** Writes rows as CSV. A cell that a spreadsheet would run as a formula begins with an apostrophe. */
export function csvText(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

function cellText(cell: string | number | null): string {
  const text = escapeFormula(String(cell ?? ''));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Negative numbers stay. */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^-\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
}
