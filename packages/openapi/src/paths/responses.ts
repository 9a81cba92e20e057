import {
  deletedResponse,
  response,
  responseEvent,
  responseInputItems,
  responsesRequest,
} from '@model-gateway/shared';
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { errorAnswers, MODEL_ERRORS } from '../error-answers.ts';
import { ownRequestId } from '../parameters.ts';
import { jsonBody } from '../request-bodies.ts';
import { KEY_REQUIRED } from '../security.ts';
import { chatAnswer, eventContent, jsonContent, proxiedAnswer } from '../success-answers.ts';

const path = z.object({
  response_id: z.string().meta({
    description: 'The `id` of a response that its provider keeps. That of another account is answered 404.',
    example: 'resp_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA',
  }),
});

/** What a kept response is never answered: it costs nothing. */
const NOT_OF_KEPT: ReadonlySet<unknown> = new Set(['insufficient_balance']);

function ofKept(operation: Pick<ZodOpenApiOperationObject, 'operationId' | 'summary'>) {
  return {
    ...operation,
    tags: ['Models'],
    description: 'Free, and limited like a read. The provider that keeps the response is asked.',
    security: KEY_REQUIRED,
    requestParams: { path },
    parameters: [ownRequestId],
  };
}

const keptErrors = errorAnswers(...MODEL_ERRORS.filter((code) => !NOT_OF_KEPT.has(code)), 'not_found');

/** OpenAI's Responses, for every model that chats. */
export const responsesPaths: ZodOpenApiPathsObject = {
  '/v1/responses': {
    post: {
      operationId: 'createResponse',
      tags: ['Models'],
      summary: 'Responses: the next turn of a conversation, in OpenAI\u2019s newer API',
      description:
        'Every model that chats can be asked. A model whose provider speaks this API gets the request byte ' +
        'for byte, but for `model` and `previous_response_id`; its answer and its events pass, under the ' +
        'model id and a response id of the gateway. For every other model the request is translated: what ' +
        'changes the answer and cannot be said there is answered 400, what only tunes or tags, and tools ' +
        'that only OpenAI runs, are left out and named in `x-gateway-ignored`. Nothing is kept for such a ' +
        'model: send the whole conversation with `"store": false`; `previous_response_id`, `conversation`, ' +
        'items of the type `item_reference` and `"background": true` are answered 400.\n\n' +
        'With `"stream": true` the answer is a stream of server-sent events, `response.completed` or ' +
        '`response.incomplete` last and `: keep-alive` comments in between. A failure after the first byte ' +
        'is one event `response.failed`.',
      security: KEY_REQUIRED,
      parameters: [ownRequestId],
      requestBody: jsonBody(responsesRequest.in, {
        model: 'acme/small',
        input: 'What is the capital of France?',
        store: false,
      }),
      responses: {
        ...chatAnswer('The response, whole or as a stream.', {
          ...jsonContent(response),
          ...eventContent(responseEvent),
        }),
        ...errorAnswers(...MODEL_ERRORS, 'concurrent_streams_exceeded', 'not_found'),
      },
    },
  },
  '/v1/responses/{response_id}': {
    get: {
      ...ofKept({ operationId: 'getResponse', summary: 'A response that its provider keeps' }),
      responses: {
        ...proxiedAnswer('The response, whole or as a stream.', {
          ...jsonContent(response),
          ...eventContent(responseEvent),
        }),
        ...keptErrors,
      },
    },
    delete: {
      ...ofKept({ operationId: 'deleteResponse', summary: 'Has its provider forget a response' }),
      responses: {
        ...proxiedAnswer('It is forgotten.', jsonContent(deletedResponse)),
        ...keptErrors,
      },
    },
  },
  '/v1/responses/{response_id}/cancel': {
    post: {
      ...ofKept({ operationId: 'cancelResponse', summary: 'Ends a response that runs in the background' }),
      responses: { ...proxiedAnswer('The response.', jsonContent(response)), ...keptErrors },
    },
  },
  '/v1/responses/{response_id}/input_items': {
    get: {
      ...ofKept({ operationId: 'listResponseInput', summary: 'What a kept response was asked with' }),
      responses: { ...proxiedAnswer('A page.', jsonContent(responseInputItems)), ...keptErrors },
    },
  },
};
