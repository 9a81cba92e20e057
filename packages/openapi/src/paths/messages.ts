import {
  countTokensRequest,
  message,
  messageEvent,
  messagesRequest,
  tokenCount,
} from '@model-gateway/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { CHECKED_ERRORS, FREE_ERRORS, MODEL_ERRORS } from '../error-responses.ts';
import { chatHeaders, messagesHeaders, proxiedHeaders } from '../headers.ts';
import { messagesErrorResponses } from '../messages-errors.ts';
import {
  anthropicBeta,
  anthropicVersion,
  cacheDirectives,
  idempotencyKey,
  labelHeaders,
  ownRequestId,
} from '../parameters.ts';
import { jsonBody } from '../request-bodies.ts';
import { KEY_REQUIRED_BY_MESSAGES } from '../security.ts';
import { jsonContent, messagesEventContent, proxiedResponse } from '../success-responses.ts';

const query = z.object({
  beta: z
    .literal('true')
    .optional()
    .describe("Enables beta features of a provider with Anthropic's API. Other providers do not get it."),
});
const parameters = [anthropicVersion, anthropicBeta, ownRequestId, idempotencyKey];

/** Anthropic's API, for every chat model. */
export const messagesPaths: ZodOpenApiPathsObject = {
  '/v1/messages': {
    post: {
      operationId: 'createMessage',
      tags: ['Models'],
      summary: "Messages: create the next message of a conversation (Anthropic's API)",
      description:
        'Works with every chat model. If the provider has this API, the gateway passes the request through byte ' +
        'for byte, with `anthropic-version`, `anthropic-beta` and `?beta=true`, and only changes `model`. It ' +
        'passes the response, its events and its errors (400, 413, 422, 429, 529) through as well. For other ' +
        'providers it translates the request to Chat Completions. A field without an equivalent there gets 400 ' +
        'if it would change the output. If it only tunes or tags the request, it is left out, and ' +
        '`x-gateway-ignored` names it.\n\n' +
        'With `"stream": true` the response is a stream of server-sent events. `message_stop` is the last one; ' +
        '`ping` events may come in between. If the request fails after the first byte, the stream ends with an ' +
        '`error` event and without `message_stop`.\n\n' +
        'Send the key as `Authorization: Bearer` or as `x-api-key`. Two different keys get 401. Bytes that are ' +
        'not an HTTP request (400, 408, 431) get an error in the form of the other routes.',
      security: KEY_REQUIRED_BY_MESSAGES,
      requestParams: { query },
      parameters: [...parameters, cacheDirectives, ...labelHeaders],
      requestBody: jsonBody(messagesRequest.in, {
        model: 'acme/small',
        max_tokens: 1024,
        messages: [{ role: 'user', content: 'What is the capital of France?' }],
      }),
      responses: {
        ...proxiedResponse(
          'The message, whole or as a stream.',
          { ...jsonContent(message), ...messagesEventContent(messageEvent) },
          messagesHeaders(chatHeaders),
        ),
        // Unknown paths below this one get errors in the same form.
        ...messagesErrorResponses(
          ...MODEL_ERRORS,
          ...CHECKED_ERRORS,
          'concurrent_streams_exceeded',
          'not_found',
        ),
      },
    },
  },
  '/v1/messages/count_tokens': {
    post: {
      operationId: 'countMessageTokens',
      tags: ['Models'],
      summary: "Tokens: count the input tokens of a message (Anthropic's API)",
      description:
        'Free. It counts against the rate limit for reads. The provider counts if it can. Otherwise the gateway ' +
        'counts with a tokenizer of the model family, or estimates.',
      security: KEY_REQUIRED_BY_MESSAGES,
      requestParams: { query },
      parameters,
      requestBody: jsonBody(countTokensRequest.in, {
        model: 'acme/small',
        messages: [{ role: 'user', content: 'What is the capital of France?' }],
      }),
      responses: {
        ...proxiedResponse('The count.', jsonContent(tokenCount), messagesHeaders(proxiedHeaders)),
        ...messagesErrorResponses(...FREE_ERRORS, ...CHECKED_ERRORS),
      },
    },
  },
};
