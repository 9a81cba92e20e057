import { z } from 'zod';
import { readErrorMessage } from '../shared/read-error-message.ts';

/** Services of AWS write the member in both ways. */
const errorAnswer = z
  .looseObject({ message: z.string().optional(), Message: z.string().optional() })
  .transform(({ message, Message }) => ({ error: { message: message ?? Message ?? '' } }))
  .refine(({ error }) => error.message !== '');

/** @returns the message of an error in the shape of AWS */
export function readBedrockError(bodyText: string): string | undefined {
  return readErrorMessage(bodyText, errorAnswer);
}
