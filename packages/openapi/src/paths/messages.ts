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
    .describe("Asks a provider of Anthropic's API for its betas. Other providers do not get it."),
});
const parameters = [anthropicVersion, anthropicBeta, ownRequestId];

/** Errors that a token count never gets: it is free and opens no stream. */
const NOT_OF_COUNTS: ReadonlySet<unknown> = new Set(['insufficient_balance']);

/** Anthropic's API, for every model that chats. */
export const messagesPaths: ZodOpenApiPathsObject = {
  '/v1/messages': {
    post: {
      operationId: 'createMessage',
      tags: ['Models'],
      summary: "Messages: the next message of a conversation, in Anthropic's API",
      description:
        'Every model that chats can be asked. A model whose provider speaks this API gets the request byte ' +
        'for byte, with `anthropic-version`, `anthropic-beta` and `?beta=true`, and its answer, its events ' +
        'and its errors (400, 413, 422, 429, 529) pass; only `model` is changed. For every other model the ' +
        'request is translated to Chat Completions: what changes the answer and cannot be said there is ' +
        'answered 400, what only tunes or tags is left out and named in `x-gateway-ignored`.\n\n' +
        'With `"stream": true` the answer is a stream of server-sent events, `message_stop` last and `ping` ' +
        'events in between. A failure after the first byte is one event `error` and no `message_stop`.\n\n' +
        'The key comes as `Authorization: Bearer` or as `x-api-key`; two different ones are answered 401. ' +
        'Bytes that are no HTTP request at all (400, 408, 431) are answered in the form of all other routes.',
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
        // Paths below this one that are no routes are answered in the same form.
        ...messagesErrorAnswers(...MODEL_ERRORS, 'concurrent_streams_exceeded', 'not_found'),
      },
    },
  },
  '/v1/messages/count_tokens': {
    post: {
      operationId: 'countMessageTokens',
      tags: ['Models'],
      summary: "Tokens: how many a message would have as input, in Anthropic's API",
      description:
        'Free, and limited like a read. The provider counts where it can; else the gateway does, by a ' +
        'tokenizer of the family of the model, or by an estimate.',
      security: KEY_REQUIRED_BY_MESSAGES,
      requestParams: { query },
      parameters,
      requestBody: jsonBody(countTokensRequest.in, {
        model: 'acme/small',
        messages: [{ role: 'user', content: 'What is the capital of France?' }],
      }),
      responses: {
        ...proxiedAnswer('The count.', jsonContent(tokenCount), messagesHeaders(proxiedHeaders)),
        ...messagesErrorAnswers(...MODEL_ERRORS.filter((code) => !NOT_OF_COUNTS.has(code))),
      },
    },
  },
};
