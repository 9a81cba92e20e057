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
import { errorAnswers, MODEL_ERRORS } from '../error-answers.ts';
import { ownRequestId } from '../parameters.ts';
import { jsonBody } from '../request-bodies.ts';
import { KEY_REQUIRED } from '../security.ts';
import { chatAnswer, eventContent, jsonContent, proxiedAnswer } from '../success-answers.ts';

/** The routes that take and give text. */
export const modelRequestPaths: ZodOpenApiPathsObject = {
  '/v1/chat/completions': {
    post: {
      operationId: 'createChatCompletion',
      tags: ['Models'],
      summary: 'Chat completions: the next message of a conversation',
      description:
        'Fields that are not named here pass to the provider untouched. Only `notre`, which may hold any ' +
        'JSON, stays ' +
        'here: it is for notes of your own in a request, such as where it was made. It is dropped before ' +
        'a provider ' +
        'could refuse it as unknown, is neither stored nor logged, and changes nothing in the answer. ' +
        'A field whose name differs from one that the gateway relies on in case, underscores or hyphens ' +
        'alone is ' +
        'answered 400, on every route: some providers would take the one for the other.\n\n' +
        'A paid model answers 400 to what changes the price of the provider and has no price here: ' +
        '`service_tier` ' +
        '(but `auto` and `default`), `web_search_options`, `search_parameters`, `enable_search`, ' +
        '`plugins`, audio ' +
        'output (`modalities`, `audio`), `tools` of other types than `function` and `custom`, `models`, ' +
        '`route`, ' +
        '`provider`, and `best_of` other than `n`.\n\n' +
        'Beyond OpenAI\u2019s fields, messages take `reasoning_content` and `reasoning_details` back, and ' +
        'messages, their parts and tools take `cache_control`, where the provider has them. A model whose ' +
        'provider speaks Anthropic\u2019s API is asked in it: what changes the answer and cannot be said there ' +
        'is answered 400, what only tunes or tags is left out and named in `x-gateway-ignored`.\n\n' +
        'With `"stream": true` the answer is a stream of server-sent events, each with one chunk, `data: ' +
        '[DONE]` ' +
        'last and `: keep-alive` comments in between. A failure after the first byte is one event with ' +
        'the error ' +
        'envelope and no `[DONE]`. The chunk with `usage` comes only when `stream_options.include_usage` ' +
        'asks for it.',
      security: KEY_REQUIRED,
      parameters: [ownRequestId],
      requestBody: jsonBody(chatCompletionsRequest.in, {
        model: 'acme/small',
        messages: [{ role: 'user', content: 'What is the capital of France?' }],
      }),
      responses: {
        ...chatAnswer('The completion, whole or as a stream.', {
          ...jsonContent(chatCompletion),
          ...eventContent(chatCompletionChunk),
        }),
        ...errorAnswers(...MODEL_ERRORS, 'concurrent_streams_exceeded'),
      },
    },
  },
  '/v1/embeddings': {
    post: {
      operationId: 'createEmbeddings',
      tags: ['Models'],
      summary: 'Embeddings: vectors for texts',
      security: KEY_REQUIRED,
      parameters: [ownRequestId],
      requestBody: jsonBody(embeddingsRequest.in, { model: 'acme/embed', input: 'The quick brown fox' }),
      responses: {
        ...proxiedAnswer('One vector per input, in their order.', jsonContent(embeddingList)),
        ...errorAnswers(...MODEL_ERRORS, wrongEndpoint({ id: 'acme/small', capability: 'chat' })),
      },
    },
  },
  '/v1/rerank': {
    post: {
      operationId: 'rerank',
      tags: ['Models'],
      summary: 'Rerank: documents in the order in which they answer a query',
      security: KEY_REQUIRED,
      parameters: [ownRequestId],
      requestBody: jsonBody(rerankRequest.in, {
        model: 'acme/rerank',
        query: 'capital of the United States',
        documents: ['Carson City is the capital of Nevada.', 'Washington, D.C. is the capital.'],
      }),
      responses: {
        ...proxiedAnswer('The documents, best first.', jsonContent(rerankResult)),
        ...errorAnswers(...MODEL_ERRORS),
      },
    },
  },
};
