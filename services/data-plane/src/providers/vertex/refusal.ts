import { readAnthropicError } from '../anthropic/refusal.ts';
import { readGoogleError } from '../gemini/refusal.ts';

/** Errors are Google's; what the models of Anthropic find fault with comes in Anthropic's own words. */
export function readVertexError(bodyText: string): string | undefined {
  return readGoogleError(bodyText) ?? readAnthropicError(bodyText);
}
