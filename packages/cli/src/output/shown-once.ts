import type { KeyJson } from './key-table.ts';
import { printable } from './printable.ts';

/** Returns the note beside a key that is printed only now. */
export function shownOnce({ id, name }: KeyJson): string {
  return `${id} (${printable(name)}): shown once; it cannot be recovered`;
}
