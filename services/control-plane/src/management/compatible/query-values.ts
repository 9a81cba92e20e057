import { z } from 'zod';

const MAX_VALUES = 100;

/** Accepts a query parameter once, several times, and with values separated by commas. */
export function queryList<Value extends z.ZodType<string>>(value: Value) {
  return z
    .preprocess(
      (given) => (given === undefined ? undefined : [given].flat().flatMap(splitText)),
      z.array(value).max(MAX_VALUES).optional(),
    )
    .transform((values) => (values === undefined ? undefined : [...new Set(values)]));
}

function splitText(given: unknown): unknown[] {
  return typeof given === 'string' ? given.split(',') : [given];
}

/** Accepts `true` and `false` as texts. */
export const queryBoolean = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean(),
);

// Postgres accepts no text with a NUL.
export const queryText = z
  .string()
  .min(1)
  .max(512)
  .refine((text) => !text.includes('\0'), 'must not contain NUL');
