import { z } from 'zod';
import { errorMessage } from '../error-message.ts';

const errorAnswer = z.looseObject({
  type: z.literal('error'),
  error: z.looseObject({ message: z.string().min(1) }),
});

/** @returns the message of an error in Anthropic's shape */
export function refusal(bodyText: string): string | undefined {
  return errorMessage(bodyText, errorAnswer);
}
