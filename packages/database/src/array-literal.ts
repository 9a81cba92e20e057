/**
 * Serializes a Postgres array, to be cast in SQL. The driver's own form takes several times as long for
 * hundreds of elements, and Prisma rejects null elements.
 */
export function arrayLiteral(values: readonly (string | number | bigint | null | undefined)[]): string {
  return `{${values.map(element).join(',')}}`;
}

function element(value: string | number | bigint | null | undefined): string {
  if (value === null || value === undefined) return 'NULL';
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
}
