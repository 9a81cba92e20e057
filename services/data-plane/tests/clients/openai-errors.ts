import { BadRequestError, RateLimitError } from 'openai';

export function isOpenAIRateLimit(error: unknown): boolean {
  return error instanceof RateLimitError;
}

export function isOpenAIRejection(error: unknown): boolean {
  return error instanceof BadRequestError;
}
