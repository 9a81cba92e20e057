/** A key of the gateway, with the characters that lists show in the first group. */
const KEY = /(gw_[a-z]+_[0-9A-Za-z]{8})[0-9A-Za-z]*/;

/** Returns the text to search for. A pasted key never leaves the browser: its prefix finds it. */
export function searchText(typed: string): string {
  return KEY.exec(typed)?.[1] ?? typed.trim();
}
