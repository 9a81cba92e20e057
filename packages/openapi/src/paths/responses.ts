import {
  deletedResponse,
  response,
  responseCompaction,
  responseEvent,
  responseInputItems,
  responseInputTokens,
  responsesRequest,
} from '@model-gateway/shared';
import { responseNotFound } from '@model-gateway/shared/errors';
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { errorAnswers, MODEL_ERRORS } from '../error-answers.ts';
import { chatHeaders } from '../headers.ts';
import { modelRequest } from '../model-request.ts';
import { ownRequestId } from '../parameters.ts';
import { jsonBody } from '../request-bodies.ts';
import { KEY_REQUIRED } from '../security.ts';
import { jsonContent, jsonOrEvents, proxiedAnswer } from '../success-answers.ts';

const path = z.object({
  response_id: z.string().meta({
    description: 'The `id` of a response that is kept. That of another account is answered 404.',
    example: 'resp_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA',
  }),
});

/** Requests about a stored response are free, so the balance refuses none. */
const STORED_ERRORS = [
  ...MODEL_ERRORS.filter((code) => code !== 'insufficient_balance'),
  responseNotFound('resp_1'),
];

function storedResponseOperation(
  operation: Pick<ZodOpenApiOperationObject, 'operationId' | 'summary'>,
  query?: typeof eventQuery | typeof pageQuery,
) {
  return {
    ...operation,
    tags: ['Models'],
    description:
      'Free, and limited like a read. The provider that keeps the response is asked, or the gateway itself ' +
      'answers where it keeps responses.',
    security: KEY_REQUIRED,
    requestParams: query === undefined ? { path } : { path, query },
    parameters: [ownRequestId],
  };
}

const storedErrors = errorAnswers(...STORED_ERRORS);
const streamErrors = errorAnswers(...STORED_ERRORS, 'concurrent_streams_exceeded');

const include = z.array(z.string()).optional().meta({
  description: 'Further members of the answer, as in the request that has made the response.',
});
const eventQuery = z.object({
  stream: z.boolean().optional().meta({ description: 'Its events instead of the whole response.' }),
  starting_after: z.int().optional().meta({ description: 'The number of the last event that is known.' }),
  'include[]': include,
});
const pageQuery = z.object({
  limit: z.int().optional().meta({ description: 'How many items.' }),
  order: z.enum(['asc', 'desc']).optional().meta({ description: 'The oldest or the newest first.' }),
  after: z.string().optional().meta({ description: 'The id of the item before the first one.' }),
  'include[]': include,
});

/** OpenAI's Responses, for every model that chats. */
export const responsesPaths: ZodOpenApiPathsObject = {
  '/v1/responses': modelRequest({
    operationId: 'createResponse',
    summary: 'Responses: the next turn of a conversation, in OpenAI\u2019s newer API',
    description:
      'Every model that chats can be asked. A model whose provider speaks this API gets the request byte ' +
      'for byte, but for `model` and `previous_response_id`; its answer and its events pass, under the ' +
      'model id and a response id of the gateway. For every other model the request is translated: what ' +
      'changes the answer and cannot be said there is answered 400, what only tunes or tags, and tools ' +
      'that only OpenAI runs, are left out and named in `x-gateway-ignored`. Unless the ' +
      'operator has the gateway keep responses, nothing is kept for such a model: send the whole ' +
      'conversation with `"store": false`; `previous_response_id` and items of the type `item_reference` ' +
      'are refused. So are `conversation` and `"background": true`, always.\n\n' +
      'With `"stream": true` the answer is a stream of server-sent events, `response.completed` or ' +
      '`response.incomplete` last and `: keep-alive` comments in between. A failure after the first byte ' +
      'is one event `response.failed`.',
    requestBody: jsonBody(responsesRequest.in, {
      model: 'acme/small',
      input: 'What is the capital of France?',
      store: false,
    }),
    success: proxiedAnswer(
      'The response, whole or as a stream.',
      jsonOrEvents(response, responseEvent),
      chatHeaders,
    ),
    errors: ['concurrent_streams_exceeded', 'not_found', 'previous_response_not_found', 'upgrade_required'],
  }),
  '/v1/responses/compact': modelRequest({
    operationId: 'compactResponse',
    summary: 'Responses: compact a conversation',
    description:
      'Returns items that replace the conversation in the next request. Billed like a response. Only providers ' +
      'with the Responses API can compact; for other models the answer is 400.',
    requestBody: jsonBody(responsesRequest.in, {
      model: 'acme/small',
      input: 'What is the capital of France?',
    }),
    success: proxiedAnswer('The compacted conversation.', jsonContent(responseCompaction), chatHeaders),
    errors: ['not_found', 'previous_response_not_found'],
  }),
  '/v1/responses/input_tokens': modelRequest({
    operationId: 'countResponseTokens',
    summary: 'Responses: count the input tokens of a request',
    description:
      'Free, and limited like a read. The gateway counts with a tokenizer of the model family, or estimates.',
    requestBody: jsonBody(responsesRequest.in, {
      model: 'acme/small',
      input: 'What is the capital of France?',
    }),
    success: proxiedAnswer('The count.', jsonContent(responseInputTokens)),
    errors: [],
  }),
  '/v1/responses/{response_id}': {
    get: {
      ...storedResponseOperation(
        { operationId: 'getResponse', summary: 'A response that is kept' },
        eventQuery,
      ),
      responses: {
        ...proxiedAnswer('The response, whole or as a stream.', jsonOrEvents(response, responseEvent)),
        ...streamErrors,
      },
    },
    delete: {
      ...storedResponseOperation({ operationId: 'deleteResponse', summary: 'Has a response forgotten' }),
      responses: {
        ...proxiedAnswer('It is forgotten.', jsonContent(deletedResponse)),
        ...storedErrors,
      },
    },
  },
  '/v1/responses/{response_id}/cancel': {
    post: {
      ...storedResponseOperation({
        operationId: 'cancelResponse',
        summary: 'Ends a response that runs in the background',
      }),
      responses: { ...proxiedAnswer('The response.', jsonContent(response)), ...storedErrors },
    },
  },
  '/v1/responses/{response_id}/input_items': {
    get: {
      ...storedResponseOperation(
        { operationId: 'listResponseInput', summary: 'What a kept response was asked with' },
        pageQuery,
      ),
      responses: { ...proxiedAnswer('A page.', jsonContent(responseInputItems)), ...storedErrors },
    },
  },
};
