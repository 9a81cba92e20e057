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

/** The routes for chats, embeddings and reranking. */
export const modelRequestPaths: ZodOpenApiPathsObject = {
  '/v1/chat/completions': modelRequest({
    operationId: 'createChatCompletion',
    summary: 'Chat completions: the next message of a conversation',
    description:
      'Fields that are not named here are sent to the provider unchanged. Only `notre` is not: it is for ' +
      'notes of your own, in any JSON, such as where the request was made. The gateway drops it, neither ' +
      'stores nor logs it, and it changes nothing in the response. A field whose name differs only in case, ' +
      'underscores or hyphens from a name that the gateway relies on is refused with 400, on every route: ' +
      'some providers would confuse the two.\n\n' +
      'A paid model refuses with 400 what changes the price of the provider and has no price here: ' +
      '`service_tier` (except `auto` and `default`), `web_search_options`, `search_parameters`, ' +
      '`enable_search`, `plugins`, audio output (`modalities`, `audio`), `tools` of other types than ' +
      '`function` and `custom`, `models`, `route`, `provider`, and `best_of` other than `n`.\n\n' +
      'Beyond OpenAI\u2019s fields, you can send `reasoning_content` and `reasoning_details` back in ' +
      'messages, and `cache_control` in messages, their parts and tools, if the provider has them. If the ' +
      'provider of the model has Anthropic\u2019s API, the request is translated: a field that changes the ' +
      'answer and has no equivalent there is refused with 400; a field that only tunes or tags is left out, ' +
      'and `x-gateway-ignored` names it.\n\n' +
      'With `"stream": true` the response is a stream of server-sent events, each with one chunk: `data: ' +
      '[DONE]` is the last one, with `: keep-alive` comments in between. A failure after the first byte is ' +
      'one event with the error envelope, without `[DONE]`. The chunk with `usage` is sent only with ' +
      '`stream_options.include_usage`.',
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
    summary: 'Rerank: sort documents by relevance to a query',
    requestBody: jsonBody(rerankRequest.in, {
      model: 'acme/rerank',
      query: 'capital of the United States',
      documents: ['Carson City is the capital of Nevada.', 'Washington, D.C. is the capital.'],
    }),
    success: proxiedAnswer('The documents, best first.', jsonContent(rerankResult)),
  }),
};
