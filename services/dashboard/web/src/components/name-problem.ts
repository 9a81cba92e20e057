import { MAX_NAME_LENGTH } from '../../../wire/name-length.ts';

/**
 * Returns the problem with a name, if any. Long names are refused, not cut: a cut name would surprise its
 * author.
 * @param missing the message for an empty name; left out: it may be empty
 */
export function nameProblem(name: string, missing?: string): string | undefined {
  const { length } = name.trim();
  if (length === 0) return missing;
  if (length <= MAX_NAME_LENGTH) return undefined;
  return `Choose a name of at most ${MAX_NAME_LENGTH} characters: this one has ${length}.`;
}
