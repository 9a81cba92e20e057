import type { ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { anthropicChat } from './anthropic-chat.ts';
import { anthropicHead, anthropicProbe } from './anthropic-headers.ts';
import { readAnthropicErrorDetails } from './read-anthropic-error.ts';

export const anthropic: ProviderProtocol = {
  head: anthropicHead,
  probe: anthropicProbe,
  requestIdHeader: 'request-id',
  errorDetails: readAnthropicErrorDetails,
  endpoints: { chat: anthropicChat },
};
