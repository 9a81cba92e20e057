import {
  countTokensRequest,
  message,
  messageEvent,
  messagesRequest,
  tokenCount,
} from '@model-gateway/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { MODEL_ERRORS } from '../error-answers.ts';
import { chatHeaders, messagesHeaders, proxiedHeaders } from '../headers.ts';
import { messagesErrorAnswers } from '../messages-errors.ts';
import { anthropicBeta, anthropicVersion, ownRequestId } from '../parameters.ts';
import { jsonBody } from '../request-bodies.ts';
import { KEY_REQUIRED_BY_MESSAGES } from '../security.ts';
import { jsonContent, messagesEventContent, proxiedAnswer } from '../success-answers.ts';

const query = z.object({
  beta: z
    .literal('true')
    .optional()
    .describe("Enables the betas of a provider with Anthropic's API. It is not sent to other providers."),
});
const parameters = [anthropicVersion, anthropicBeta, ownRequestId];

/** Anthropic's API, for every model that chats. */
export const messagesPaths: ZodOpenApiPathsObject = {
  '/v1/messages': {
    post: {
      operationId: 'createMessage',
      tags: ['Models'],
      summary: "Messages: the next message of a conversation, in Anthropic's API",
      description:
        'Use it with every chat model. If the provider of the model has this API, the request is passed byte ' +
        'for byte, with `anthropic-version`, `anthropic-beta` and `?beta=true`, and so are the response, its ' +
        'events and its errors (400, 413, 422, 429, 529); only `model` is changed. For every other model the ' +
        'request is translated to Chat Completions: a field that changes the answer and has no equivalent ' +
        'there is refused with 400; a field that only tunes or tags is left out, and `x-gateway-ignored` ' +
        'names it.\n\n' +
        'With `"stream": true` the response is a stream of server-sent events: `message_stop` is the last one, ' +
        'with `ping` events in between. A failure after the first byte is one event `error`, without ' +
        '`message_stop`.\n\n' +
        'Send the key as `Authorization: Bearer` or as `x-api-key`; two different keys are refused with 401. ' +
        'Bytes that are not an HTTP request (400, 408, 431) get an error in the form of all other routes.',
      security: KEY_REQUIRED_BY_MESSAGES,
      requestParams: { query },
      parameters,
      requestBody: jsonBody(messagesRequest.in, {
        model: 'acme/small',
        max_tokens: 1024,
        messages: [{ role: 'user', content: 'What is the capital of France?' }],
      }),
      responses: {
        ...proxiedAnswer(
          'The message, whole or as a stream.',
          { ...jsonContent(message), ...messagesEventContent(messageEvent) },
          messagesHeaders(chatHeaders),
        ),
        // Unknown paths below this one get errors in the same form.
        ...messagesErrorAnswers(...MODEL_ERRORS, 'concurrent_streams_exceeded', 'not_found'),
      },
    },
  },
  '/v1/messages/count_tokens': {
    post: {
      operationId: 'countMessageTokens',
      tags: ['Models'],
      summary: "Tokens: count the input tokens of a message, in Anthropic's API",
      description:
        'Free, and limited like a read. The provider counts if it can; otherwise the gateway counts with a ' +
        'tokenizer of the model family, or estimates.',
      security: KEY_REQUIRED_BY_MESSAGES,
      requestParams: { query },
      parameters,
      requestBody: jsonBody(countTokensRequest.in, {
        model: 'acme/small',
        messages: [{ role: 'user', content: 'What is the capital of France?' }],
      }),
      responses: {
        ...proxiedAnswer('The count.', jsonContent(tokenCount), messagesHeaders(proxiedHeaders)),
        // A count is free, so the balance refuses none.
        ...messagesErrorAnswers(...MODEL_ERRORS.filter((code) => code !== 'insufficient_balance')),
      },
    },
  },
};
