import { z } from 'zod';
import type { ErrorDetails } from '../../interfaces/provider-protocol.ts';

const errorAnswer = z.looseObject({
  type: z.literal('error'),
  error: z.looseObject({ message: z.string().min(1) }),
});

/** A 400 with this text: the account has no credit left. */
const NO_CREDIT = /^Your credit balance is too low/i;

export function readAnthropicErrorDetails(bodyText: string): ErrorDetails {
  return { isAccessRefused: NO_CREDIT.test(readAnthropicError(bodyText) ?? '') };
}

/** Options of a request in this API: only its own errors pass unchanged, not those of a proxy in front. */
export const ANTHROPIC_PASSTHROUGH = {
  isOwnApi: true,
  isOwnError: (bodyText: string) => readAnthropicError(bodyText) !== undefined,
} as const;

/** @returns undefined for errors in another form */
function readAnthropicError(bodyText: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(bodyText);
  } catch {
    return undefined;
  }
  return errorAnswer.safeParse(body).data?.error.message;
}
