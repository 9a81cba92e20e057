import { z } from 'zod';
import { plainWords } from './issue-words.ts';

/** Shared by all requests, to save allocations. */
const WORDS = { error: plainWords };

interface JsonSchema<Output> {
  safeParse: (value: unknown, words: typeof WORDS) => z.ZodSafeParseResult<Output>;
}

/**
 * Checks a value from JSON, like `safeParse`, but never throws: zod compares the `length` of an object that
 * stands where text or a list belongs, and JSON can name one that has no primitive value.
 */
export function checkJson<Output>(schema: JsonSchema<Output>, value: unknown): z.ZodSafeParseResult<Output> {
  try {
    return schema.safeParse(value, WORDS);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    const message = 'an object with a member "length" is sent where text or a list is expected';
    return {
      success: false,
      error: new z.ZodError([{ code: 'custom', path: [], message, input: value }]) as z.ZodError<Output>,
    };
  }
}
