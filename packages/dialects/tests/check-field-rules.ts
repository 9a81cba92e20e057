import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../src/json/json-object.ts';
import type { FieldRules } from '../src/translation/field-rules.ts';
import type { TranslatedRequest } from '../src/translation/translation.ts';

interface FieldRuleTest {
  modelId: string;
  rules: FieldRules;
  /** Returns a request with only carried fields, and with every object that the rule of the field needs. */
  everything(field: string): JsonObject;
  translate(request: JsonObject): TranslatedRequest;
  /** Values that mean the same as leaving the field out. */
  neutral?: readonly (readonly [field: string, value: unknown])[];
}

interface Place {
  object: Record<string, unknown>;
  path: string;
}

/** Finds all objects at a path without indexes, with their own paths. */
function placesOf(value: unknown, names: readonly string[], path = ''): Place[] {
  if (!isObject(value)) return [];
  const [name, ...rest] = names;
  if (name === undefined) return [{ object: value, path }];
  const key = name.replace('[]', '');
  const at = path === '' ? key : `${path}.${key}`;
  const found = value[key];
  if (!name.endsWith('[]')) return placesOf(found, rest, at);
  return Array.isArray(found) ? found.flatMap((one, index) => placesOf(one, rest, `${at}[${index}]`)) : [];
}

/** Returns the tool choice in the form that the field belongs to: forms exclude each other. */
export function choiceFor(field: string, called: JsonObject): JsonObject {
  const named = { type: 'function', function: called };
  if (field.startsWith('function_call.')) return { function_call: called };
  if (field.startsWith('tool_choice.function.')) return { tool_choice: named };
  return { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named] } } };
}

/** Tests that a translation does with each field what its rule says. */
export function checkFieldRules({
  everything,
  modelId,
  neutral = [],
  rules,
  translate,
}: FieldRuleTest): void {
  const fieldsOf = (fate: string) =>
    Object.entries(rules).flatMap(([field, rule]) => (rule.fate === fate ? [field] : []));

  function withMember(field: string, value: unknown): { request: JsonObject; path: string } {
    const names = field.split('.');
    const name = names.pop() ?? '';
    const request = everything(field);
    const [place] = placesOf(request, names);
    if (place === undefined) throw new Error(`there is no place for ${field} in the request`);
    place.object[name] = value;
    return { request, path: place.path === '' ? name : `${place.path}.${name}` };
  }

  describe(`field rules for ${modelId}`, () => {
    it.each(fieldsOf('refused'))('%s is refused by name', (field) => {
      const { path, request } = withMember(field, { asked: 'for it' });
      expect(() => translate(request)).toThrow(
        expect.objectContaining({ code: 'invalid_request', param: path, status: 400 }),
      );
      expect(() => translate(request)).toThrow(`"${modelId}"`);
    });

    it.each(fieldsOf('ignored'))('%s is ignored by name', (field) => {
      const { request } = withMember(field, 'unheard of');
      const { ignored, request: sent } = translate(request);
      expect(ignored).toEqual([field]);
      expect(JSON.stringify(sent)).not.toContain('unheard of');
    });

    it.each(fieldsOf('carried'))('%s has a place, and is not ignored', (field) => {
      expect(placesOf(everything(field), field.split('.').slice(0, -1))).not.toEqual([]);
      expect(translate(everything(field)).ignored).toEqual([]);
    });

    it('unknown fields are ignored by name at any depth', () => {
      for (const field of ['whatever', 'messages[].whatever', 'tools[].function.whatever', 'constructor'])
        expect(translate(withMember(field, 1).request).ignored).toEqual([field]);
      const { messages } = everything('');
      const request: JsonObject = { ...JSON.parse('{"__proto__": {"n": 2}}'), messages };
      expect(translate(request).ignored).toEqual(['__proto__']);
    });

    it.each([...fieldsOf('refused'), ...fieldsOf('ignored')])(
      '%s counts as absent if it is null',
      (field) => {
        expect(translate(withMember(field, null).request).ignored).toEqual([]);
      },
    );

    it.each(neutral)('%s has no effect with the neutral value %j', (field, value) => {
      expect(rules[field]?.isNeutral).toBeDefined();
      expect(translate(withMember(field, value).request).ignored).toEqual([]);
    });
  });
}
