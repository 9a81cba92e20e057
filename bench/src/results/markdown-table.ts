/** Formats a table. Columns of numbers, except the first, are aligned right. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = [columns, ...rows].map((row) =>
    columns.map((_, index) => escapeCell(row[index] ?? '')),
  );
  const shapes = head.map((title, index) => ({
    width: Math.max(3, title.length, ...body.map((row) => row[index]?.length ?? 0)),
    isNumeric: index > 0 && body.every((row) => /^([-\d(]|–$|$)/.test(row[index] ?? '')),
  }));
  const rule = shapes.map(({ width, isNumeric }) =>
    isNumeric ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  );
  const padded = (row: readonly string[]) =>
    shapes.map(({ width, isNumeric }, index) => {
      const cell = row[index] ?? '';
      return isNumeric ? cell.padStart(width) : cell.padEnd(width);
    });
  return [padded(head), rule, ...body.map(padded)].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}
