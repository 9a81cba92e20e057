import { z } from 'zod';

const errorAnswer = z.looseObject({ message: z.string().min(1) });

/** @returns the message of an error in Cohere's shape, which has it at its top */
export function readCohereError(bodyText: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(bodyText);
  } catch {
    return undefined;
  }
  return errorAnswer.safeParse(body).data?.message;
}
