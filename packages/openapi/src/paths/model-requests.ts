import {
  chatCompletion,
  chatCompletionChunk,
  chatCompletionsRequest,
  completionsRequest,
  embeddingList,
  embeddingsRequest,
  moderationList,
  moderationsRequest,
  rerankRequest,
  rerankResult,
  textCompletion,
} from '@model-gateway/shared';
import { wrongEndpoint } from '@model-gateway/shared/errors';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { CHECKED_ERRORS } from '../error-responses.ts';
import { chatHeaders } from '../headers.ts';
import { modelRequest } from '../model-request.ts';
import { jsonBody } from '../request-bodies.ts';
import { jsonContent, jsonOrEvents, proxiedResponse } from '../success-responses.ts';

/** The routes for chats, text completions, embeddings, reranking and moderation. */
export const modelRequestPaths: ZodOpenApiPathsObject = {
  '/v1/chat/completions': modelRequest({
    operationId: 'createChatCompletion',
    summary: 'Chat completions: create the next message of a conversation',
    description:
      'Fields that are not listed here are sent to the provider unchanged, except `notre`. That field holds ' +
      'notes of your own, in any JSON, such as where the request was made. The gateway drops it without storing ' +
      'or logging it, and it does not change the response. On every route, a field gets 400 if its name differs ' +
      'only in case, underscores or hyphens from a name that the gateway uses: some providers would confuse the ' +
      'two.\n\n' +
      'A paid model responds with 400 to fields that change the price at the provider and have no price here: ' +
      '`service_tier` (except tiers of `pricing_service_tiers`), `web_search_options`, `search_parameters`, ' +
      '`enable_search`, `plugins`, audio output (`modalities`, `audio`), `tools` of other types than ' +
      '`function` and `custom`, `models`, `route`, `provider`, and `best_of` other than `n`.\n\n' +
      'In addition to OpenAI\u2019s fields, you can send `reasoning_content` and `reasoning_details` back in ' +
      'messages, and `cache_control` in messages, their parts and tools, if the provider supports them. If the ' +
      'provider has Anthropic\u2019s API, the gateway translates the request. A field without an equivalent ' +
      'there gets 400 if it would change the output. If it only tunes or tags the request, it is left out, and ' +
      '`x-gateway-ignored` names it.\n\n' +
      'With `"stream": true` the response is a stream of server-sent events with one chunk each. `data: ' +
      '[DONE]` is the last one; `: keep-alive` comments may come in between. If the request fails after the ' +
      'first byte, the stream ends with the error envelope and without `[DONE]`. The chunk with `usage` is only ' +
      'sent with `stream_options.include_usage`.',
    requestBody: jsonBody(chatCompletionsRequest.in, {
      model: 'acme/small',
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
    }),
    success: proxiedResponse(
      'The completion, whole or as a stream.',
      jsonOrEvents(chatCompletion, chatCompletionChunk),
      chatHeaders,
    ),
    errors: [...CHECKED_ERRORS, 'concurrent_streams_exceeded'],
  }),
  '/v1/completions': modelRequest({
    operationId: 'createCompletion',
    summary: 'Text completions: continue a text, in OpenAI’s older API',
    description:
      'Only models of the capability `completions` serve it: base models, and models that fill in the middle ' +
      'of code. Fields that are not listed here are sent to the provider unchanged, and priced ones are refused ' +
      'as in chat completions, except `best_of`, whose output is counted. Streams end as those of chat ' +
      'completions do.\n\n' +
      'Guardrails do not check text completions: a request of an account with guardrails gets 403.',
    requestBody: jsonBody(completionsRequest.in, {
      model: 'acme/base',
      prompt: 'The capital of France is',
      max_tokens: 16,
    }),
    success: proxiedResponse(
      'The completion, whole or as a stream.',
      jsonOrEvents(textCompletion, textCompletion),
    ),
    errors: ['concurrent_streams_exceeded'],
  }),
  '/v1/embeddings': modelRequest({
    operationId: 'createEmbeddings',
    summary: 'Embeddings: convert texts to vectors',
    requestBody: jsonBody(embeddingsRequest.in, { model: 'acme/embed', input: 'The quick brown fox' }),
    success: proxiedResponse('One vector per input, in the order of the inputs.', jsonContent(embeddingList)),
    errors: [wrongEndpoint({ id: 'acme/small', capability: 'chat' })],
  }),
  '/v1/rerank': modelRequest({
    operationId: 'rerank',
    summary: 'Rerank: sort documents by relevance to a query',
    requestBody: jsonBody(rerankRequest.in, {
      model: 'acme/rerank',
      query: 'capital of the United States',
      documents: ['Carson City is the capital of Nevada.', 'Washington, D.C. is the capital.'],
    }),
    success: proxiedResponse('The documents, most relevant first.', jsonContent(rerankResult)),
  }),
  '/v1/moderations': modelRequest({
    operationId: 'createModeration',
    summary: 'Moderations: find harmful content in texts and images',
    requestBody: jsonBody(moderationsRequest.in, {
      model: 'acme/moderate',
      input: 'How do I sharpen a knife?',
    }),
    success: proxiedResponse('The categories that apply, and their scores.', jsonContent(moderationList)),
  }),
};
