/**
 * Writes a Postgres array as text, to be cast to its type in SQL. The driver's own way of sending an array
 * takes several times as long for hundreds of elements, and Prisma accepts no null among them.
 */
export function arrayLiteral(values: readonly (string | number | bigint | null | undefined)[]): string {
  return `{${values.map(element).join(',')}}`;
}

function element(value: string | number | bigint | null | undefined): string {
  if (value === null || value === undefined) return 'NULL';
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
}
