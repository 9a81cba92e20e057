import { z } from 'zod';
import type { RefusalDetails } from '../../interfaces/provider-protocol.ts';

const errorAnswer = z.looseObject({
  type: z.literal('error'),
  error: z.looseObject({ message: z.string().min(1) }),
});

/** How Anthropic says with a 400 that the account of the credential has no money left. */
const NO_CREDIT = /^Your credit balance is too low/i;

/** Reads facts that other providers put into their status. */
export function readAnthropicErrorDetails(bodyText: string): RefusalDetails {
  return { isAccessRefused: NO_CREDIT.test(readAnthropicError(bodyText) ?? '') };
}

/** @returns the message of an error in Anthropic's shape */
export function readAnthropicError(bodyText: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(bodyText);
  } catch {
    return undefined;
  }
  return errorAnswer.safeParse(body).data?.error.message;
}
