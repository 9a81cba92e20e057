/** Matches a date or `latest` at the end of a model's name. Lists of providers may add it or leave it out. */
const VERSION = /^-(?:\d{8}|\d{4}-\d\d-\d\d|\d{4}|\d{3}|latest)$/;

/** Returns true if a provider lists a model, also if only one of the names has a version. */
export function isListed(model: string, listed: readonly string[]): boolean {
  return listed.some((name) => name === model || isVersionOf(name, model) || isVersionOf(model, name));
}

/** Returns true if a name is another one with a version at its end. */
export function isVersionOf(name: string, model: string): boolean {
  return name.startsWith(model) && VERSION.test(name.slice(model.length));
}
