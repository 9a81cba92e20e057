import { z } from 'zod';

/** Keys have some hundred characters, and the JSON of a service account some 2,400. */
const MAX_CREDENTIAL_LENGTH = 16_384;

/** The value of a provider's credential: one line that fits into a header. JSON is compacted to one line. */
export const credentialValue = z
  .string()
  .transform((text) => compactJson(text.trim()))
  .pipe(
    z
      .string()
      .min(1, 'the value is empty')
      .max(MAX_CREDENTIAL_LENGTH, `the value is longer than ${MAX_CREDENTIAL_LENGTH} characters`)
      .regex(/^[\x20-\x7e]*$/, 'the value must be one line of printable ASCII characters, or JSON'),
  );

function compactJson(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
