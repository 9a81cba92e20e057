/** Returns text for one line of a terminal: users choose names, and these must not move the cursor. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
}

/** Returns a name of the API as words: `free_per_minute` → `free per minute`. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Returns the name of a thing with its id behind it, or only the id when the name is not known. */
export function withId(id: string, nameOf: (id: string) => string): string {
  const name = nameOf(id);
  return name === id ? id : `${printable(name)} (${id})`;
}
