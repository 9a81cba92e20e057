import { presetTraits } from '@model-gateway/shared';
import type { ChatEndpoint, ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { openAiChat } from '../openai-compatible/openai-chat.ts';
import { openAiCompatible } from '../openai-compatible/openai-compatible.ts';
import { openAiHeaders } from '../openai-compatible/openai-headers.ts';
import { openAiResponsesChat, openAiResponsesFirstChat } from '../openai-compatible/openai-responses-chat.ts';

const { moderation: _moderation, rerank: _rerank, ...ofAzure } = openAiCompatible.endpoints;
const chatCompletions = openAiChat(presetTraits('generic'));

/**
 * OpenAI's API as Azure serves it below `/openai/v1`, where paths have no `api-version` and a model is the
 * name of a deployment. Without a key, requests carry a token of Entra ID.
 */
export const azureOpenAi = azureOpenAiWith(chatCompletions);

/** With Responses, which not all deployed models have. */
export const azureOpenAiWithResponses = azureOpenAiWith(openAiResponsesChat(chatCompletions));

/** Translates all chats to Responses. */
export const azureOpenAiResponsesFirst = azureOpenAiWith(openAiResponsesFirstChat);

function azureOpenAiWith(chat: ChatEndpoint): ProviderProtocol {
  return {
    ...openAiCompatible,
    ...openAiHeaders({ name: 'api-key', scheme: '' }),
    requestIdHeader: 'apim-request-id',
    endpoints: { ...ofAzure, chat },
  };
}
