import type { oas32 } from 'zod-openapi';

export interface Location {
  operation: oas32.OperationObject;
  /** The steps to it in the document. */
  pointer: readonly string[];
}

/** Matches empty and dot segments, path parameters and backslashes, also encoded. No route has these. */
const UNUSUAL = /\/\/|[;\\#]|%3b|%5c|(\/|%2f)(\.|%2e){1,2}(\/|%2f|$)/i;

/** Finds the operation for a request; HEAD counts as GET. Undefined: the document has none. */
export function matchOperation(
  document: oas32.OpenAPIObject,
  method: string,
  path: string,
): Location | undefined {
  if (UNUSUAL.test(path)) return undefined;
  const paths = document.paths ?? {};
  const template = Object.hasOwn(paths, path)
    ? path
    : Object.keys(paths).find((candidate) => patternOf(candidate).test(path));
  if (template === undefined) return undefined;
  const verb = METHODS.get(method.toUpperCase());
  const operation = verb && paths[template]?.[verb];
  return operation && { operation, pointer: ['paths', template, verb] };
}

const METHODS = new Map<string, 'get' | 'post' | 'patch' | 'put' | 'delete'>([
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['POST', 'post'],
  ['PATCH', 'patch'],
  ['PUT', 'put'],
  ['DELETE', 'delete'],
]);

const patterns = new Map<string, RegExp>();

function patternOf(template: string): RegExp {
  const pattern = patterns.get(template) ?? compile(template);
  patterns.set(template, pattern);
  return pattern;
}

/** The model id is the only parameter that may contain slashes. */
function compile(template: string): RegExp {
  const source = template
    .replace(/[.+*?^$()|[\]\\]/g, '\\$&')
    .replaceAll('{modelId}', '.+')
    .replace(/\{[^}]+\}/g, '[^/]+');
  return new RegExp(`^${source}$`);
}
