import type { GatewayError } from '@model-gateway/shared';
import { notExpressible } from '@model-gateway/shared/errors';
import type { JsonObject } from '../json/json-object.ts';
import type { FieldRule, FieldRules } from './field-rules.ts';
import { objectAt } from './field-values.ts';
import { IgnoredFields } from './ignored-fields.ts';

/** Applies field rules to a request, and remembers which fields were ignored. */
export class FieldReader {
  readonly #modelId: string;
  readonly #rules: FieldRules;
  readonly #everywhere: readonly string[];
  readonly #ignored = new IgnoredFields();

  /** @param everywhere members with one rule, under their bare name, at every path */
  constructor(modelId: string, rules: FieldRules, everywhere: readonly string[] = []) {
    this.#modelId = modelId;
    this.#rules = rules;
    this.#everywhere = everywhere;
  }

  get ignored(): string[] {
    return this.#ignored.names;
  }

  /** @param name without indexes: `messages[].name` */
  ignore(name: string): void {
    this.#ignored.add(name);
  }

  /**
   * Returns the carried members of the object at `path` (`tools[3]`; '' at the top). Null counts as absent.
   * @param name of the object in the rules, where it is not the path without indexes
   * @throws GatewayError 400 that names a refused member
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

  /** Returns own rules only: a caller may send a member called `constructor`. */
  rule(field: string): FieldRule | undefined {
    return Object.hasOwn(this.#rules, field) ? this.#rules[field] : undefined;
  }

  /** @param why continues "The model …" */
  refusal(path: string, why: string): GatewayError {
    return notExpressible(this.#modelId, path, why);
  }
}
