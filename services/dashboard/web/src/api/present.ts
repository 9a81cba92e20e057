type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Leaves out members that are undefined. */
export function present<Members extends object>(members: Members): Present<Members>;
export function present(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
