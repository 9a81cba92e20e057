import {
  chatCompletion,
  chatCompletionChunk,
  chatCompletionsRequest,
  embeddingList,
  embeddingsRequest,
  rerankRequest,
  rerankResult,
} from '@model-gateway/shared';
import { wrongEndpoint } from '@model-gateway/shared/errors';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { chatHeaders } from '../headers.ts';
import { modelRequest } from '../model-request.ts';
import { jsonBody } from '../request-bodies.ts';
import { jsonContent, jsonOrEvents, proxiedAnswer } from '../success-answers.ts';

/** The routes that take and give text. */
export const modelRequestPaths: ZodOpenApiPathsObject = {
  '/v1/chat/completions': modelRequest({
    operationId: 'createChatCompletion',
    summary: 'Chat completions: the next message of a conversation',
    description:
      'Fields that are not named here pass to the provider untouched. Only `notre`, which may hold any ' +
      'JSON, stays here: it is for notes of your own in a request, such as where it was made. It is ' +
      'dropped before a provider could refuse it as unknown, is neither stored nor logged, and changes ' +
      'nothing in the answer. A field whose name differs from one that the gateway relies on in case, ' +
      'underscores or hyphens alone is answered 400, on every route: some providers would take the one ' +
      'for the other.\n\n' +
      'A paid model answers 400 to what changes the price of the provider and has no price here: ' +
      '`service_tier` (but `auto` and `default`), `web_search_options`, `search_parameters`, ' +
      '`enable_search`, `plugins`, audio output (`modalities`, `audio`), `tools` of other types than ' +
      '`function` and `custom`, `models`, `route`, `provider`, and `best_of` other than `n`.\n\n' +
      'Beyond OpenAI\u2019s fields, messages take `reasoning_content` and `reasoning_details` back, ' +
      'and messages, their parts and tools take `cache_control`, where the provider has them. A model ' +
      'whose provider speaks Anthropic\u2019s API is asked in it: what changes the answer and cannot ' +
      'be said there is answered 400, what only tunes or tags is left out and named in ' +
      '`x-gateway-ignored`.\n\n' +
      'With `"stream": true` the answer is a stream of server-sent events, each with one chunk, `data: ' +
      '[DONE]` last and `: keep-alive` comments in between. A failure after the first byte is one ' +
      'event with the error envelope and no `[DONE]`. The chunk with `usage` comes only when ' +
      '`stream_options.include_usage` asks for it.',
    requestBody: jsonBody(chatCompletionsRequest.in, {
      model: 'acme/small',
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
    }),
    success: proxiedAnswer(
      'The completion, whole or as a stream.',
      jsonOrEvents(chatCompletion, chatCompletionChunk),
      chatHeaders,
    ),
    errors: ['concurrent_streams_exceeded'],
  }),
  '/v1/embeddings': modelRequest({
    operationId: 'createEmbeddings',
    summary: 'Embeddings: vectors for texts',
    requestBody: jsonBody(embeddingsRequest.in, { model: 'acme/embed', input: 'The quick brown fox' }),
    success: proxiedAnswer('One vector per input, in their order.', jsonContent(embeddingList)),
    errors: [wrongEndpoint({ id: 'acme/small', capability: 'chat' })],
  }),
  '/v1/rerank': modelRequest({
    operationId: 'rerank',
    summary: 'Rerank: documents in the order in which they answer a query',
    requestBody: jsonBody(rerankRequest.in, {
      model: 'acme/rerank',
      query: 'capital of the United States',
      documents: ['Carson City is the capital of Nevada.', 'Washington, D.C. is the capital.'],
    }),
    success: proxiedAnswer('The documents, best first.', jsonContent(rerankResult)),
  }),
};
