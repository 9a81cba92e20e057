/** Puts an apostrophe before a cell that a spreadsheet would run as a formula. Negative numbers stay. */
export function escapeFormula<Cell extends string | number | null>(cell: Cell): Cell | string {
  if (typeof cell !== 'string' || /^-\d+(\.\d+)?$/.test(cell)) return cell;
  return /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}
