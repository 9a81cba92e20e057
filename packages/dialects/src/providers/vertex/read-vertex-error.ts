import { readAnthropicError } from '../anthropic/read-anthropic-error.ts';
import { readGoogleError } from '../gemini/read-gemini-error.ts';

/** Errors are Google's; what the models of Anthropic find fault with comes in Anthropic's own words. */
export function readVertexError(bodyText: string): string | undefined {
  return readGoogleError(bodyText) ?? readAnthropicError(bodyText);
}
