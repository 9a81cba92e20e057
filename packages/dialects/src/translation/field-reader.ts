import type { GatewayError } from '@model-gateway/shared';
import { notExpressible } from '@model-gateway/shared/errors';
import type { JsonObject } from '../json/json-object.ts';
import type { FieldRule, FieldRules } from './field-rules.ts';
import { objectAt } from './field-values.ts';
import { IgnoredFields } from './ignored-fields.ts';

/**
 * Reads a request by the rules of its translation: each member of each object becomes what they say of it,
 * and what is left out is noted.
 */
export class FieldReader {
  readonly #modelId: string;
  readonly #rules: FieldRules;
  readonly #everywhere: readonly string[];
  readonly #ignored = new IgnoredFields();

  /** @param everywhere members that mean the same wherever they stand: their rules have their bare names */
  constructor(modelId: string, rules: FieldRules, everywhere: readonly string[] = []) {
    this.#modelId = modelId;
    this.#rules = rules;
    this.#everywhere = everywhere;
  }

  /** The names of what was left out, for `x-gateway-ignored`. */
  get ignored(): string[] {
    return this.#ignored.names;
  }

  /** @param name of a field, without numbers: `messages[].name` */
  ignore(name: string): void {
    this.#ignored.add(name);
  }

  /**
   * The members of an object that are carried. Null counts as absent.
   * @param path of the object: `tools[3]`; '' at the top
   * @param name of the object in the rules, where it is not the path without its numbers
   * @throws GatewayError 400 that names a member which is refused
   */
  members(value: unknown, path: string, name = path.replaceAll(/\[\d+\]/g, '[]')): JsonObject {
    const carried: Record<string, unknown> = {};
    for (const [member, content] of Object.entries(objectAt(value, path))) {
      if (content === null || content === undefined) continue;
      const field = name === '' || this.#everywhere.includes(member) ? member : `${name}.${member}`;
      const rule = this.rule(field);
      if (rule?.fate === 'carried') carried[member] = content;
      else if (rule?.isNeutral?.(content) === true) continue;
      else if (rule?.fate === 'refused')
        throw this.refusal(path === '' ? member : `${path}.${member}`, rule.note);
      else this.ignore(field);
    }
    return carried;
  }

  /** The rule of that name; a caller may send a member that is called `constructor`. */
  rule(field: string): FieldRule | undefined {
    return Object.hasOwn(this.#rules, field) ? this.#rules[field] : undefined;
  }

  /** @param why completes "The model … " */
  refusal(path: string, why: string): GatewayError {
    return notExpressible(this.#modelId, path, why);
  }
}
