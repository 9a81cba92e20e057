import type { z } from 'zod';

/** Returns the message of an error that a provider has answered; undefined: the text is not of this shape. */
export function readErrorMessage(
  bodyText: string,
  shape: z.ZodType<{ error: { message: string } }>,
): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(bodyText);
  } catch {
    return undefined;
  }
  return shape.safeParse(body).data?.error.message;
}
