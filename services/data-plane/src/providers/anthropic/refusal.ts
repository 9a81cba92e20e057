import { z } from 'zod';

const errorAnswer = z.looseObject({
  type: z.literal('error'),
  error: z.looseObject({ message: z.string().min(1) }),
});

/** @returns the message of an error in Anthropic's shape */
export function refusal(bodyText: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(bodyText);
  } catch {
    return undefined;
  }
  const parsed = errorAnswer.safeParse(body);
  return parsed.success ? parsed.data.error.message : undefined;
}
