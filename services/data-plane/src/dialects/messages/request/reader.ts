import { invalidField, notExpressible } from '@model-gateway/shared/errors';
import type { JsonObject } from '../../../providers/chat.ts';
import { IgnoredFields } from '../../../providers/ignored-fields.ts';
import { isObject } from '../../../providers/is-object.ts';
import { REQUEST_FIELDS } from './fields.ts';

/** Own members alone: a caller may send a member that is called `constructor`. */
const RULES = new Map(Object.entries(REQUEST_FIELDS));
/** Stands at blocks, tools and the request itself, and means the same there. */
const ANYWHERE = 'cache_control';
/** The date of a version at the end of a type. */
const DATE = /_\d{8}$/;

/** Reads a request of Messages by its rules, and notes what is left out. */
export class RequestReader {
  readonly #ignored = new IgnoredFields();
  readonly #modelId: string;

  constructor(modelId: string) {
    this.#modelId = modelId;
  }

  /** Names for `x-gateway-ignored`. */
  get ignored(): string[] {
    return this.#ignored.names;
  }

  /** @param name of a field, without numbers */
  ignore(name: string): void {
    this.#ignored.add(name);
  }

  /**
   * The members that are carried. Null counts as absent.
   * @param of the object in the words of the rules: `tools[]`; empty: the request itself
   * @param at where it is: `tools[3]`
   * @throws GatewayError 400 for a member that is refused
   */
  members(object: JsonObject, of: string, at: string): JsonObject {
    const carried: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(object)) {
      if (value === null || value === undefined) continue;
      const field = name === ANYWHERE || of === '' ? name : `${of}.${name}`;
      const rule = RULES.get(field);
      if (rule === undefined || rule.fate === 'ignored') this.#ignored.add(field);
      else if (rule.fate === 'carried') carried[name] = value;
      else if (rule.isNeutral?.(value) !== true) this.refuse(at === '' ? name : `${at}.${name}`, rule.note);
    }
    return carried;
  }

  /** The members of a block besides its type. */
  block({ type, ...block }: JsonObject, at: string): JsonObject {
    return this.members(block, `content[${String(type)}]`, at);
  }

  /**
   * The members of an object whose other members are left out by name.
   * @param field the name of the object: `output_config.format`
   */
  only(object: JsonObject, names: readonly string[], field: string): JsonObject {
    for (const [name, value] of Object.entries(object))
      if (value !== null && value !== undefined && !names.includes(name))
        this.#ignored.add(`${field}.${name}`);
    return object;
  }

  /** @param kind `content` or `tools` @throws GatewayError 400 */
  refuseType(kind: string, type: string, at: string): never {
    const rule = RULES.get(`${kind}[${type.replace(DATE, '')}]`);
    this.refuse(`${at}.type`, rule?.note ?? `takes nothing of the type "${type.slice(0, 100)}" here`);
  }

  /** @param why completes "The model … " @throws GatewayError 400 */
  refuse(param: string, why: string): never {
    throw notExpressible(this.#modelId, param, why);
  }
}

/** @throws GatewayError 400 for a value that is no text */
export function textAt(value: unknown, at: string): string {
  if (typeof value === 'string') return value;
  throw invalidField(at, 'must be a string');
}

/** @throws GatewayError 400 for a value that is no object */
export function objectAt(value: unknown, at: string): JsonObject {
  if (isObject(value)) return value;
  throw invalidField(at, 'must be an object');
}

/** @throws GatewayError 400 for a value that is no array of objects */
export function objectsAt(value: unknown, at: string): JsonObject[] {
  if (!Array.isArray(value)) throw invalidField(at, 'must be an array');
  return value.map((entry, index) => objectAt(entry, `${at}[${index}]`));
}
