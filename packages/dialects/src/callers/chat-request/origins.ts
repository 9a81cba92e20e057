import { isObject } from '../../json/json-object.ts';

/** Maps objects of a translation to the caller's paths. */
export class Origins {
  readonly #paths = new Map<object, string>();

  record<Value extends object>(value: Value, path: string): Value {
    this.#paths.set(value, path);
    return value;
  }

  /**
   * Finds the innermost object with an origin on a path of the translation.
   * @returns the caller's path of it, and the rest of the path: `function.arguments`
   */
  of(request: object, path: string): { origin: string; rest: string } | undefined {
    let found: { origin: string; rest: string } | undefined;
    let value: unknown = request;
    for (const step of path.matchAll(/[^.[\]]+/g)) {
      value = memberOf(value, step[0]);
      const origin = isObject(value) ? this.#paths.get(value) : undefined;
      if (origin !== undefined) found = { origin, rest: restOf(path, step.index + step[0].length) };
    }
    return found;
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function restOf(path: string, at: number): string {
  return path.slice(at).replace(/^\]?\.?/, '');
}
