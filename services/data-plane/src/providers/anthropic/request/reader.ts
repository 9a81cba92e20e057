import type { GatewayError } from '@model-gateway/shared';
import { notExpressible } from '@model-gateway/shared/errors';
import type { JsonObject } from '../../chat.ts';
import { IgnoredFields } from '../../ignored-fields.ts';
import { isObject } from '../../is-object.ts';
import { REQUEST_FIELDS, SAYS_NOTHING } from './fields.ts';

/**
 * Reads a request in the shape of Chat Completions: each member of each object becomes what the rules say of
 * it, and whatever is not of its kind is refused under its path.
 */
export class RequestReader {
  readonly #modelId: string;
  readonly #ignored = new IgnoredFields();

  constructor(modelId: string) {
    this.#modelId = modelId;
  }

  /** The names of what was left out. */
  get ignored(): string[] {
    return this.#ignored.names;
  }

  /** @param name of a field, without numbers: `messages[].name` */
  ignore(name: string): void {
    this.#ignored.add(name);
  }

  refusal(path: string, why: string): GatewayError {
    return notExpressible(this.#modelId, path, why);
  }

  /**
   * The members of an object that are carried, without nulls.
   * @param path of the object, '' at the top
   * @throws GatewayError 400 that names a member which is refused
   */
  members(value: unknown, path: string): JsonObject {
    const object = this.plain(value, path);
    const under = path === '' ? '' : `${path}.`;
    const genericUnder = under.replaceAll(/\[\d+\]/g, '[]');
    const carried: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(object)) {
      if (member === null || member === undefined) continue;
      const generic = genericUnder + name;
      const rule = Object.hasOwn(REQUEST_FIELDS, generic) ? REQUEST_FIELDS[generic] : undefined;
      if (rule?.fate === 'carried') carried[name] = member;
      else if (Object.hasOwn(SAYS_NOTHING, generic) && SAYS_NOTHING[generic]?.(member)) continue;
      else if (rule?.fate === 'refused') throw this.refusal(under + name, rule.note);
      else this.ignore(generic);
    }
    return carried;
  }

  /** An object whose members no rule looks at, such as a JSON schema. */
  plain(value: unknown, path: string): JsonObject {
    if (isObject(value)) return value;
    throw this.refusal(path, 'takes an object there');
  }

  /** A list; none where it is absent. */
  list(value: unknown, path: string): readonly unknown[] {
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    throw this.refusal(path, 'takes an array there');
  }

  text(value: unknown, path: string): string {
    if (typeof value === 'string') return value;
    throw this.refusal(path, 'takes a string there');
  }

  number(value: unknown, path: string): number {
    if (typeof value === 'number') return value;
    throw this.refusal(path, 'takes a number there');
  }
}
