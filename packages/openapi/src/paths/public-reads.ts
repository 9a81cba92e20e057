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
import { errorResponses } from '../error-responses.ts';
import { commonHeaders } from '../headers.ts';
import { eitherErrorResponses } from '../messages-errors.ts';
import { anthropicVersion, ifNoneMatch, ownRequestId } from '../parameters.ts';
import { KEY_OPTIONAL, PUBLIC } from '../security.ts';
import { cachedResponses, eitherCachedResponses, jsonContent } from '../success-responses.ts';

const modelsQuery = z.object({
  capability: capability.optional(),
  provider: z
    .string()
    .optional()
    .describe('Only models of this provider: the part of the id before the slash.'),
  tier: tier.optional(),
  q: z
    .string()
    .optional()
    .describe('Only models with this text in their id, aliases, name or description, in any case.'),
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only with `anthropic-version`: models per page. Default: 20.'),
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
      summary: 'Models: list all of them',
      description:
        "Anthropic's clients send the header `anthropic-version`. With this header, the list has Anthropic's " +
        'form: only chat models, in pages.',
      security: KEY_OPTIONAL,
      requestParams: { query: modelsQuery },
      parameters: [ifNoneMatch, ownRequestId, anthropicVersion],
      responses: {
        ...eitherCachedResponses('The models that match, sorted by id.', modelList, messagesModelList),
        ...eitherErrorResponses(
          ...READ_ERRORS,
          errors.invalidQuery('tier', 'is wrong: must be one of free, paid'),
          'invalid_api_key',
          'network_not_allowed',
        ),
      },
    },
  },
  '/v1/models/{modelId}': {
    get: {
      operationId: 'getModel',
      tags: ['Catalog'],
      summary: 'Model: get one by its id or an alias',
      description: "With the header `anthropic-version`, a chat model has Anthropic's form.",
      security: KEY_OPTIONAL,
      requestParams: {
        path: z.object({
          modelId: z.string().meta({
            description:
              'Contains a slash, which may be encoded: `acme/small` and `acme%2Fsmall` are the same model.',
            example: 'acme/small',
          }),
        }),
      },
      parameters: [ifNoneMatch, ownRequestId, anthropicVersion],
      responses: {
        ...eitherCachedResponses('The model.', modelObject, messagesModel),
        ...eitherErrorResponses(
          ...READ_ERRORS,
          'invalid_api_key',
          'network_not_allowed',
          errors.noSuchModel(),
        ),
      },
    },
  },
  '/v1/status': {
    get: {
      operationId: 'getStatus',
      tags: ['Status'],
      summary: 'Status of the service and its parts',
      description: '`status.sentence` says what is wrong and since when.',
      security: PUBLIC,
      parameters: [ifNoneMatch, ownRequestId],
      responses: {
        ...cachedResponses('The status, at most 5 s old.', statusSummary),
        ...errorResponses(...READ_ERRORS),
      },
    },
  },
  '/v1/status/models': {
    get: {
      operationId: 'getModelStatuses',
      tags: ['Status'],
      summary: 'Status of every model',
      description:
        'Measured from real traffic. Without traffic, the figures are null and `state` is `no_traffic`. If the ' +
        'last responses failed, `state` is `failed_when_last_asked` instead: the end of traffic does not make a ' +
        'model operational. `sentence` says what is wrong and since when.',
      security: PUBLIC,
      parameters: [ifNoneMatch, ownRequestId],
      responses: {
        ...cachedResponses('One row per model, at most 5 s old.', modelStatusList),
        ...errorResponses(...READ_ERRORS),
      },
    },
  },
  '/health': {
    get: {
      operationId: 'getHealth',
      tags: ['Status'],
      summary: 'Health of this process',
      description: 'Does not check dependencies, and has no rate limit.',
      security: PUBLIC,
      parameters: [ownRequestId],
      responses: {
        200: { description: 'The process is running.', headers: commonHeaders, content: jsonContent(health) },
        ...errorResponses(),
      },
    },
  },
};
