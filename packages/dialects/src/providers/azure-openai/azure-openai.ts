import type { ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { openAiCompatible } from '../openai-compatible/openai-compatible.ts';
import { openAiHeaders } from '../openai-compatible/openai-headers.ts';
import { openAiResponsesChat, openAiResponsesFirstChat } from '../openai-compatible/openai-responses-chat.ts';

const { rerank: _rerank, ...withoutRerank } = openAiCompatible.endpoints;

/**
 * OpenAI's API as Azure serves it below `/openai/v1`, where paths have no `api-version` and a model is the
 * name of a deployment. Without a key, requests carry a token of Entra ID.
 */
export const azureOpenAi: ProviderProtocol = {
  ...openAiCompatible,
  ...openAiHeaders({ name: 'api-key', scheme: '' }),
  requestIdHeader: 'apim-request-id',
  endpoints: withoutRerank,
};

/** The same with Responses, which not all models have that are deployed there. */
export const azureOpenAiWithResponses: ProviderProtocol = {
  ...azureOpenAi,
  endpoints: { ...withoutRerank, chat: openAiResponsesChat },
};

/** The same, where chats in all APIs are asked by Responses. */
export const azureOpenAiResponsesFirst: ProviderProtocol = {
  ...azureOpenAi,
  endpoints: { ...withoutRerank, chat: openAiResponsesFirstChat },
};
