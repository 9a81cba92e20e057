import leven from 'leven';

const MAX_SUGGESTIONS = 3;
/** No name is longer; comparing longer ones would only take time. */
const MAX_CHARACTERS = 128;
/** Names that differ in more than this part of their characters are not similar. */
const MAX_DIFFERENCE = 1 / 3;

const MIN_BEGINNING = 3;

/** Returns the names of models that a caller may have meant, the most similar first. */
export function similarNames(names: Iterable<string>, requested: string): string[] {
  if (requested.length > MAX_CHARACTERS) return [];
  const wanted = requested.toLowerCase();
  return [...names]
    .map((name) => ({ name, difference: differenceOf(name.toLowerCase(), wanted) }))
    .filter(({ difference }) => difference <= MAX_DIFFERENCE)
    .sort((left, right) => left.difference - right.difference)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

/**
 * Returns the provider that the requested name begins with, if no model is named after it. Models of other
 * providers are no advice then, however similar: an alias may lead to a simulated one.
 */
export function absentProvider(names: Iterable<string>, requested: string): string | undefined {
  const provider = providerOf(requested).toLowerCase();
  if (provider === '') return undefined;
  for (const name of names) if (providerOf(name).toLowerCase() === provider) return undefined;
  return providerOf(requested);
}

function providerOf(name: string): string {
  return name.slice(0, Math.max(name.indexOf('/'), 0));
}

/** Also compares without the provider: clients of a provider know its models without that prefix. */
function differenceOf(name: string, wanted: string): number {
  return Math.min(shareChanged(name, wanted), shareChanged(withoutProvider(name), withoutProvider(wanted)));
}

function withoutProvider(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

function shareChanged(left: string, right: string): number {
  const share = leven(left, right) / Math.max(left.length, right.length, 1);
  // A variant or a date is missing at the end.
  const isBeginning = right.length >= MIN_BEGINNING && left.startsWith(right);
  return isBeginning ? Math.min(share, MAX_DIFFERENCE) : share;
}
