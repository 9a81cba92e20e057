import { printable } from './printable.ts';

export interface TableOptions {
  /** The rows continue a table that has been printed before, so that they need no header. */
  isContinued?: boolean;
}

/** Aligned columns under their headings, as plain text; two spaces between columns, no trailing ones. */
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
