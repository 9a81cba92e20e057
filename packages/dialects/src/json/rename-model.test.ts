import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renameModel } from './rename-model.ts';

const MODEL_ID = 'sim/chat "pro"';

describe('renameModel', () => {
  it('gives the same JSON as parsing, editing and serializing, or undefined', () => {
    const members = fc.array(
      fc.tuple(
        fc.oneof(fc.constantFrom('model', 'id', '"model"', '\\"model', 'choices'), fc.string()),
        fc.oneof(fc.jsonValue(), fc.constantFrom('model', '"model":"x"', { model: 'inner' })),
      ),
    );
    fc.assert(
      fc.property(members, fc.nat(2), (entries, spaces) => {
        const value = Object.fromEntries(entries.filter(([name]) => name !== '__proto__'));
        const text = JSON.stringify(value, undefined, spaces);
        const renamed = renameModel(text, value.model, MODEL_ID);
        if (renamed !== undefined)
          expect(JSON.parse(renamed)).toEqual({ ...JSON.parse(text), model: MODEL_ID });
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves every other byte unchanged', () => {
    const text = '{"id":"a","model":"gpt","n":1.50,"choices":[{"text":"é {\\"model\\":1}\\n"}]}';
    expect(renameModel(text, 'gpt', 'm')).toBe(text.replace('"gpt"', '"m"'));
  });

  it.each([
    ['the key stands below the top level, too', '{"model":"gpt","choices":[{"model":"gpt"}]}'],
    ['it comes after an object', '{"choices":[{}],"model":"gpt"}'],
    ['it is written with a space', '{"model": "gpt"}'],
    ['a secret could be escaped', '{"model":"gpt","text":"AbCd\\/EfGh"}'],
    ['a secret could be escaped in numbers', '{"model":"gpt","text":"AbCd\\u003d"}'],
    ['it is written with an escape', '{"model":"g\\u0070t"}'],
    ['there is none', '{"id":"gpt"}'],
  ])('returns undefined where %s', (_why, text) => {
    expect(renameModel(text, JSON.parse(text).model, 'm')).toBeUndefined();
  });
});
