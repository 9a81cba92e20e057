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
import {
  CHECKED_ERRORS,
  errorResponses,
  FREE_ERRORS,
  REPEAT_ERRORS,
  type RouteError,
} from '../error-responses.ts';
import { chatHeaders } from '../headers.ts';
import { modelRequest } from '../model-request.ts';
import { ownRequestId } from '../parameters.ts';
import { jsonBody } from '../request-bodies.ts';
import { KEY_REQUIRED } from '../security.ts';
import { jsonContent, jsonOrEvents, proxiedResponse } from '../success-responses.ts';

const path = z.object({
  response_id: z.string().meta({
    description: 'The `id` of a stored response. A response of another account gets 404.',
    example: 'resp_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA',
  }),
});

const repeatErrors: readonly RouteError[] = REPEAT_ERRORS;
const STORED_ERRORS = [
  ...FREE_ERRORS.filter((code) => !repeatErrors.includes(code)),
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
      'Free. It counts against the rate limit for reads. The gateway forwards the request to the provider that ' +
      'stores the response, or responds itself if it stores responses.',
    security: KEY_REQUIRED,
    requestParams: query === undefined ? { path } : { path, query },
    parameters: [ownRequestId],
  };
}

const storedErrors = errorResponses(...STORED_ERRORS, ...CHECKED_ERRORS);
const streamErrors = errorResponses(...STORED_ERRORS, ...CHECKED_ERRORS, 'concurrent_streams_exceeded');

const include = z.array(z.string()).optional().meta({
  description: 'Additional fields of the response, with the same values as when you create a response.',
});
const eventQuery = z.object({
  stream: z
    .boolean()
    .optional()
    .meta({ description: 'True: returns a stream of its events instead of the whole response.' }),
  starting_after: z.int().optional().meta({
    description: 'The `sequence_number` of the last event that you have. The stream starts after it.',
  }),
  'include[]': include,
});
const pageQuery = z.object({
  limit: z.int().optional().meta({ description: 'Items per page.' }),
  order: z
    .enum(['asc', 'desc'])
    .optional()
    .meta({ description: '`asc`: oldest first; `desc`: newest first.' }),
  after: z.string().optional().meta({ description: 'The id of an item. The page starts after it.' }),
  'include[]': include,
});

/** OpenAI's Responses API, for every chat model. */
export const responsesPaths: ZodOpenApiPathsObject = {
  '/v1/responses': modelRequest({
    operationId: 'createResponse',
    summary: 'Responses: create the next turn of a conversation (OpenAI\u2019s newer API)',
    description:
      'Works with every chat model. If the provider has this API, the gateway passes the request through byte ' +
      'for byte, and only changes `model` and `previous_response_id`. It passes the response and its events ' +
      'through as well, with its own model id and response id. For other providers it translates the request. ' +
      'A field without an equivalent gets 400 if it would change the output. Fields that only tune or tag the ' +
      'request, and tools that only OpenAI runs, are left out, and `x-gateway-ignored` names them.\n\n' +
      'The response of a translated request is stored only if the operator lets the gateway store responses. ' +
      'If it is not stored, send the whole conversation with `"store": false`: `previous_response_id` and ' +
      'items of the type `item_reference` get 400. A translated request with `conversation` or ' +
      '`"background": true` always gets 400.\n\n' +
      'With `"stream": true` the response is a stream of server-sent events. `response.completed` or ' +
      '`response.incomplete` is the last one; `: keep-alive` comments may come in between. If the request ' +
      'fails after the first byte, the stream ends with a `response.failed` event.\n\n' +
      'A GET of this path with `Upgrade: websocket` opens a connection for many responses: each text message is a ' +
      '`response.create` with the members of this request, and each event of its response is a message. Where the ' +
      'operator has turned it off, the upgrade gets 426.',
    requestBody: jsonBody(responsesRequest.in, {
      model: 'acme/small',
      input: 'What is the capital of France?',
      store: false,
    }),
    success: proxiedResponse(
      'The response, whole or as a stream.',
      jsonOrEvents(response, responseEvent),
      chatHeaders,
    ),
    errors: [
      ...CHECKED_ERRORS,
      'concurrent_streams_exceeded',
      'not_found',
      'previous_response_not_found',
      'upgrade_required',
      'websocket_connection_limit_reached',
    ],
  }),
  '/v1/responses/compact': modelRequest({
    operationId: 'compactResponse',
    summary: 'Responses: compact a conversation',
    description:
      'Returns items that replace the conversation in the next request. Billed like a response. Only providers ' +
      'with the Responses API can compact; other models get 400.',
    requestBody: jsonBody(responsesRequest.in, {
      model: 'acme/small',
      input: 'What is the capital of France?',
    }),
    success: proxiedResponse('The compacted conversation.', jsonContent(responseCompaction), chatHeaders),
    errors: [...CHECKED_ERRORS, 'not_found', 'previous_response_not_found'],
  }),
  '/v1/responses/input_tokens': modelRequest({
    operationId: 'countResponseTokens',
    summary: 'Responses: count the input tokens of a request',
    description:
      'Free. It counts against the rate limit for reads. The gateway counts with a tokenizer of the model ' +
      'family, or estimates.',
    requestBody: jsonBody(responsesRequest.in, {
      model: 'acme/small',
      input: 'What is the capital of France?',
    }),
    success: proxiedResponse('The count.', jsonContent(responseInputTokens)),
    errors: [],
  }),
  '/v1/responses/{response_id}': {
    get: {
      ...storedResponseOperation(
        { operationId: 'getResponse', summary: 'Get a stored response' },
        eventQuery,
      ),
      responses: {
        ...proxiedResponse('The response, whole or as a stream.', jsonOrEvents(response, responseEvent)),
        ...streamErrors,
      },
    },
    delete: {
      ...storedResponseOperation({ operationId: 'deleteResponse', summary: 'Delete a stored response' }),
      responses: {
        ...proxiedResponse('The response is deleted.', jsonContent(deletedResponse)),
        ...errorResponses(...STORED_ERRORS),
      },
    },
  },
  '/v1/responses/{response_id}/cancel': {
    post: {
      ...storedResponseOperation({
        operationId: 'cancelResponse',
        summary: 'Cancel a response that runs in the background',
      }),
      responses: {
        ...proxiedResponse('The response.', jsonContent(response)),
        ...errorResponses(...STORED_ERRORS, ...CHECKED_ERRORS, ...REPEAT_ERRORS),
      },
    },
  },
  '/v1/responses/{response_id}/input_items': {
    get: {
      ...storedResponseOperation(
        { operationId: 'listResponseInput', summary: 'List the input of a stored response' },
        pageQuery,
      ),
      responses: { ...proxiedResponse('A page.', jsonContent(responseInputItems)), ...storedErrors },
    },
  },
};
