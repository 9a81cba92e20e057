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
    description: 'The `id` of a stored response. The id of another account\u2019s response gets 404.',
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
      'Free, and limited like a read. The gateway forwards it to the provider that stores the response, or ' +
      'answers itself if it stores responses.',
    security: KEY_REQUIRED,
    requestParams: query === undefined ? { path } : { path, query },
    parameters: [ownRequestId],
  };
}

const storedErrors = errorAnswers(...STORED_ERRORS);
const streamErrors = errorAnswers(...STORED_ERRORS, 'concurrent_streams_exceeded');

const include = z.array(z.string()).optional().meta({
  description: 'Further members of the response, as in the request that created it.',
});
const eventQuery = z.object({
  stream: z.boolean().optional().meta({ description: 'True: its events instead of the whole response.' }),
  starting_after: z.int().optional().meta({ description: 'The number of the last event that you have.' }),
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
      'Use it with every chat model. If the provider of the model has this API, the request is passed byte ' +
      'for byte, except `model` and `previous_response_id`, and so are the response and its events, with ' +
      'the model id and a response id of the gateway. For every other model the request is translated: a ' +
      'field that changes the answer and has no equivalent is refused with 400; fields that only tune or ' +
      'tag, and tools that only OpenAI runs, are left out, and `x-gateway-ignored` names them. Unless the ' +
      'operator lets the gateway store responses, nothing is stored for such a model: send the whole ' +
      'conversation with `"store": false`; `previous_response_id` and items of the type `item_reference` ' +
      'are refused. `conversation` and `"background": true` are always refused.\n\n' +
      'With `"stream": true` the response is a stream of server-sent events: `response.completed` or ' +
      '`response.incomplete` is the last one, with `: keep-alive` comments in between. A failure after the ' +
      'first byte is one event `response.failed`.',
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
        { operationId: 'getResponse', summary: 'Get a stored response' },
        eventQuery,
      ),
      responses: {
        ...proxiedAnswer('The response, whole or as a stream.', jsonOrEvents(response, responseEvent)),
        ...streamErrors,
      },
    },
    delete: {
      ...storedResponseOperation({ operationId: 'deleteResponse', summary: 'Delete a stored response' }),
      responses: {
        ...proxiedAnswer('The response is deleted.', jsonContent(deletedResponse)),
        ...storedErrors,
      },
    },
  },
  '/v1/responses/{response_id}/cancel': {
    post: {
      ...storedResponseOperation({
        operationId: 'cancelResponse',
        summary: 'Cancel a response that runs in the background',
      }),
      responses: { ...proxiedAnswer('The response.', jsonContent(response)), ...storedErrors },
    },
  },
  '/v1/responses/{response_id}/input_items': {
    get: {
      ...storedResponseOperation(
        { operationId: 'listResponseInput', summary: 'List the input of a stored response' },
        pageQuery,
      ),
      responses: { ...proxiedAnswer('A page.', jsonContent(responseInputItems)), ...storedErrors },
    },
  },
};
