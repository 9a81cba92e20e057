import { z } from 'zod';
import { readErrorMessage } from '../shared/read-error-message.ts';

const errorAnswer = z.looseObject({ error: z.looseObject({ message: z.string().min(1) }) });

/** @returns the message of an error in OpenAI's shape */
export function readOpenAiError(bodyText: string): string | undefined {
  return readErrorMessage(bodyText, errorAnswer);
}
