import { isObject } from '../../json/json-object.ts';

/** Where in a caller's request the objects of its translation come from. */
export class Origins {
  readonly #paths = new Map<object, string>();

  /** @param path of the caller's */
  keep<Value extends object>(value: Value, path: string): Value {
    this.#paths.set(value, path);
    return value;
  }

  /**
   * The innermost object on the way to a path of the translation that has come from somewhere.
   * @returns its path of the caller's, and how the way goes on from it: `function.arguments`
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

/** Behind the bracket of a number, and the dot. */
function restOf(path: string, at: number): string {
  return path.slice(at).replace(/^\]?\.?/, '');
}
