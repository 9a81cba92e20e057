import { describe, expect, it } from 'vitest';
import { SeededChoice } from '../text/seeded-choice.ts';
import { findTopic } from '../text/topic.ts';
import { sampleJson } from './sample-json.ts';

const sample = (schema: unknown) =>
  sampleJson(schema, findTopic('What is the weather in Paris?'), new SeededChoice('1'));

describe('a sample of a JSON schema', () => {
  it('has every property, each of its type, and takes names from the question', () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer', minimum: 3, maximum: 3 },
        hourly: { type: ['boolean', 'null'] },
        since: { type: 'string', format: 'date' },
        tags: { type: 'array', items: { type: 'string' } },
        area: { $ref: '#/$defs/area' },
        either: { oneOf: [{ const: 'sun' }, { const: 'rain' }] },
      },
      $defs: { area: { type: 'integer', minimum: 7, maximum: 7 } },
    };
    expect(sample(schema)).toEqual({
      city: 'Paris',
      unit: expect.stringMatching(/^(celsius|fahrenheit)$/),
      days: 3,
      hourly: expect.any(Boolean),
      since: '2025-06-01',
      tags: ['Paris'],
      area: 7,
      either: 'sun',
    });
  });

  it('is JSON even if the schema is invalid', () => {
    for (const schema of [null, 1, [], { type: 7 }, { enum: [] }, { anyOf: [{ const: 4 }] }, {}]) {
      expect(() => JSON.stringify(sample(schema))).not.toThrow();
    }
  });

  it('is finite even if the schema contains itself', () => {
    const schema: Record<string, unknown> = { type: 'object' };
    schema.properties = { child: schema };
    expect(JSON.stringify(sample(schema)).length).toBeLessThan(1_000);
  });
});
