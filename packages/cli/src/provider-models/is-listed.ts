/** A date or a moving mark at the end of a model's name, which a provider may add in its list. */
const VERSION = /^-(?:\d{8}|\d{4}-\d\d-\d\d|\d{4}|\d{3}|latest)$/;

/** Returns true if a provider lists a model, also under its name with a date or `latest`. */
export function isListed(model: string, listed: readonly string[]): boolean {
  return listed.some((name) => name === model || isVersionOf(name, model) || isVersionOf(model, name));
}

function isVersionOf(name: string, model: string): boolean {
  return name.startsWith(model) && VERSION.test(name.slice(model.length));
}
