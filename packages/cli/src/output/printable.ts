/** Returns text for one line of a terminal: users choose names, and these must not move the cursor. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
}

/** Returns a name of the API as words: `free_per_minute` → `free per minute`. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}
