/** Drops members that are null or undefined, which messages leave out. */
export function omitAbsent<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: NonNullable<Members[Name]> };
export function omitAbsent(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null));
}
