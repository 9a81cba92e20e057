import { z } from 'zod';
import { errorMessage } from '../error-message.ts';

/** Services of AWS write the member in both ways. */
const errorAnswer = z
  .looseObject({ message: z.string().optional(), Message: z.string().optional() })
  .transform(({ message, Message }) => ({ error: { message: message ?? Message ?? '' } }))
  .refine(({ error }) => error.message !== '');

/** @returns the message of an error in the shape of AWS */
export function refusal(bodyText: string): string | undefined {
  return errorMessage(bodyText, errorAnswer);
}
