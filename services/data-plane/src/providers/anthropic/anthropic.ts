import type { ProviderProtocol } from '../dialect.ts';
import { anthropicChat } from './chat.ts';
import { anthropicHeaders, anthropicProbe } from './head.ts';
import { readAnthropicError, readAnthropicErrorDetails } from './refusal.ts';

/** Anthropic's API: Messages. */
export const anthropic: ProviderProtocol = {
  head: anthropicHeaders,
  probe: anthropicProbe,
  requestIdHeader: 'request-id',
  refusal: readAnthropicError,
  refusalDetails: readAnthropicErrorDetails,
  endpoints: { chat: anthropicChat },
};
