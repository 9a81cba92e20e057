import { MAX_NAME_LENGTH } from '../../../wire/name-length.ts';

/**
 * Returns the problem with a typed or pasted name; undefined: none. A long name is refused, never cut,
 * because its author would later find another one.
 * @param missing the message for an empty name; left out: it may be empty
 */
export function nameProblem(name: string, missing?: string): string | undefined {
  const { length } = name.trim();
  if (length === 0) return missing;
  if (length <= MAX_NAME_LENGTH) return undefined;
  return `Choose a name of at most ${MAX_NAME_LENGTH} characters: this one has ${length}.`;
}
