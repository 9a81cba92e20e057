import { MAX_NAME_LENGTH } from '../../../wire/name-length.ts';

/**
 * What is wrong with a name that was typed or pasted; undefined: nothing. It is never cut: whoever gave it would find
 * another one later.
 * @param missing what to say of an empty one; left out: it may be empty
 */
export function nameProblem(name: string, missing?: string): string | undefined {
  const { length } = name.trim();
  if (length === 0) return missing;
  if (length <= MAX_NAME_LENGTH) return undefined;
  return `Choose a name of at most ${MAX_NAME_LENGTH} characters: this one has ${length}.`;
}
