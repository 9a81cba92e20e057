import {
  ANONYMOUS_READS_PER_MINUTE,
  capability,
  health,
  messagesModel,
  messagesModelList,
  modelList,
  modelObject,
  modelStatusList,
  statusSummary,
  tier,
} from '@model-gateway/shared';
import * as errors from '@model-gateway/shared/errors';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { errorAnswers } from '../error-answers.ts';
import { commonHeaders } from '../headers.ts';
import { eitherErrorAnswers } from '../messages-errors.ts';
import { anthropicVersion, ifNoneMatch, ownRequestId } from '../parameters.ts';
import { KEY_OPTIONAL, PUBLIC } from '../security.ts';
import { cachedAnswers, eitherCachedAnswers, jsonContent } from '../success-answers.ts';

const modelsQuery = z.object({
  capability: capability.optional(),
  provider: z.string().optional().describe('The part of the id before the slash.'),
  tier: tier.optional(),
  q: z.string().optional().describe('Text to look for in id, aliases, name and description, in any case.'),
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only with `anthropic-version`: models per page; default: 20.'),
  after_id: z
    .string()
    .optional()
    .describe('Only with `anthropic-version`: the `last_id` of the previous page.'),
  before_id: z
    .string()
    .optional()
    .describe('Only with `anthropic-version`, instead of `after_id`: the `first_id` of the next page.'),
});

/** The errors of a GET of /v1 that needs no key: limited per client address, or per key if one is sent. */
const READ_ERRORS = [
  errors.bodyNotWanted(),
  errors.addressLimitReached(ANONYMOUS_READS_PER_MINUTE, 3_000),
  errors.catalogUnreachable(),
];

/** The GETs that need no key. HEAD is served like GET everywhere. */
export const publicReadPaths: ZodOpenApiPathsObject = {
  '/v1/models': {
    get: {
      operationId: 'listModels',
      tags: ['Catalog'],
      summary: 'Models: all of them',
      description:
        "With the header `anthropic-version`, which Anthropic's clients send, the list has the form of " +
        'Anthropic: the models that chat, in pages.',
      security: KEY_OPTIONAL,
      requestParams: { query: modelsQuery },
      parameters: [ifNoneMatch, ownRequestId, anthropicVersion],
      responses: {
        ...eitherCachedAnswers('The models that match, sorted by id.', modelList, messagesModelList),
        ...eitherErrorAnswers(
          ...READ_ERRORS,
          errors.invalidQuery('tier', 'is wrong: must be one of free, paid'),
          'invalid_api_key',
        ),
      },
    },
  },
  '/v1/models/{modelId}': {
    get: {
      operationId: 'getModel',
      tags: ['Catalog'],
      summary: 'Model: one by its id or an alias',
      description: 'With the header `anthropic-version`, a model that chats has the form of Anthropic.',
      security: KEY_OPTIONAL,
      requestParams: {
        path: z.object({
          modelId: z.string().meta({
            description:
              'Contains a slash: `/v1/models/acme/small` and `/v1/models/acme%2Fsmall` are the same model.',
            example: 'acme/small',
          }),
        }),
      },
      parameters: [ifNoneMatch, ownRequestId, anthropicVersion],
      responses: {
        ...eitherCachedAnswers('The model.', modelObject, messagesModel),
        ...eitherErrorAnswers(...READ_ERRORS, 'invalid_api_key', errors.noSuchModel()),
      },
    },
  },
  '/v1/status': {
    get: {
      operationId: 'getStatus',
      tags: ['Status'],
      summary: 'Status of the service and its parts',
      description: '`status.sentence` names what is wrong and since when.',
      security: PUBLIC,
      parameters: [ifNoneMatch, ownRequestId],
      responses: {
        ...cachedAnswers('The status, at most 5 s old.', statusSummary),
        ...errorAnswers(...READ_ERRORS),
      },
    },
  },
  '/v1/status/models': {
    get: {
      operationId: 'getModelStatuses',
      tags: ['Status'],
      summary: 'Status of every model',
      description:
        'From real traffic. Without traffic, the figures are null and `state` is `no_traffic`, or ' +
        '`failed_when_last_asked` if the last responses failed: a model does not become operational ' +
        'because its traffic ends. `sentence` says what is wrong and since when.',
      security: PUBLIC,
      parameters: [ifNoneMatch, ownRequestId],
      responses: {
        ...cachedAnswers('One row per model, at most 5 s old.', modelStatusList),
        ...errorAnswers(...READ_ERRORS),
      },
    },
  },
  '/health': {
    get: {
      operationId: 'getHealth',
      tags: ['Status'],
      summary: 'Health of this process',
      description: 'Checks no dependency; no limit applies.',
      security: PUBLIC,
      parameters: [ownRequestId],
      responses: {
        200: { description: 'The process serves.', headers: commonHeaders, content: jsonContent(health) },
        ...errorAnswers(),
      },
    },
  },
};
