import { printable } from './printable.ts';

export interface TableOptions {
  /** True when the rows continue a table that was printed before, so that they need no header. */
  isContinued?: boolean;
}

/**
 * Returns aligned columns under their headings, as plain text, with two spaces between columns and none at
 * the end of a line.
 */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { isContinued = false }: TableOptions = {},
): string {
  const lines = [headings, ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .slice(isContinued ? 1 : 0)
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
