/** @returns undefined if none is given */
export function largest(...given: (number | null | undefined)[]): number | undefined {
  const counts = given.filter((count) => typeof count === 'number');
  return counts.length === 0 ? undefined : Math.max(...counts);
}
