/** Something that is not well. Lists of them have the worst first. */
export interface Trouble {
  name: string;
  /** Says what is wrong and since when; null: unknown. */
  sentence: string | null;
}

/** Names the first few; the rest are only counted. */
const MAX_NAMED = 3;

/** Returns one sentence about all troubles: who, what, since when. */
export function overallSentence(troubles: readonly Trouble[]): string {
  if (troubles.length === 0) return 'Nothing is known to be wrong.';
  const named = troubles.slice(0, MAX_NAMED).map(({ name, sentence }) => `${name}: ${clause(sentence)}`);
  const more = troubles.length - named.length;
  return `${[...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')}.`;
}

/** Turns a sentence into a part of another one. */
function clause(sentence: string | null): string {
  if (sentence === null || sentence === '') return 'not operational';
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
}
