import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { numberAt } from '../../translation/field-values.ts';

interface Range {
  name: string;
  min: number;
  max: number;
}

/** Ranges that Cohere accepts. Source: https://docs.cohere.com/reference/chat. */
const RANGES: Readonly<Record<string, Range>> = {
  temperature: { name: 'temperature', min: 0, max: 1 },
  top_p: { name: 'p', min: 0.01, max: 0.99 },
  top_k: { name: 'k', min: 0, max: 500 },
  frequency_penalty: { name: 'frequency_penalty', min: 0, max: 1 },
  presence_penalty: { name: 'presence_penalty', min: 0, max: 1 },
};

/** Clamps values to Cohere's ranges, and names those. `top_p` 0 and 1 mean the same as the nearest value. */
export function cohereSampling(request: JsonObject, reader: FieldReader): JsonObject {
  const sampling: Record<string, number> = {};
  for (const [field, { min, max, name }] of Object.entries(RANGES)) {
    if (request[field] === undefined) continue;
    const given = numberAt(request[field], field);
    const taken = Math.min(Math.max(given, min), max);
    sampling[name] = taken;
    const isEnd = field === 'top_p' && (given === 0 || given === 1);
    if (taken !== given && !isEnd) reader.ignore(field);
  }
  if (request.seed !== undefined) sampling.seed = numberAt(request.seed, 'seed');
  return sampling;
}
