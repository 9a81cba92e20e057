import {
  ANONYMOUS_READS_PER_MINUTE,
  capability,
  health,
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
import { ifNoneMatch, ownRequestId } from '../parameters.ts';
import { KEY_OPTIONAL, PUBLIC } from '../security.ts';
import { cachedAnswers, jsonContent } from '../success-answers.ts';

const modelsQuery = z.object({
  capability: capability.optional(),
  provider: z.string().optional().describe('The part of the id before the slash.'),
  tier: tier.optional(),
  q: z.string().optional().describe('Text to look for in id, name and description, in any case.'),
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
      security: KEY_OPTIONAL,
      requestParams: { query: modelsQuery },
      parameters: [ifNoneMatch, ownRequestId],
      responses: {
        ...cachedAnswers('The models that match, sorted by id.', modelList),
        ...errorAnswers(
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
      summary: 'Model: one by its id',
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
      parameters: [ifNoneMatch, ownRequestId],
      responses: {
        ...cachedAnswers('The model.', modelObject),
        ...errorAnswers(...READ_ERRORS, 'invalid_api_key', errors.noSuchModel()),
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
        'From real traffic. Where there was none, the figures are null and `state` is `no_traffic`, or ' +
        '`failed_when_last_asked` where the last answers failed: that nobody asks does not make a model ' +
        'operational. `sentence` says what is wrong and since when.',
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
      summary: 'Health: whether the process serves',
      description: 'No dependency is asked, and no limit applies.',
      security: PUBLIC,
      parameters: [ownRequestId],
      responses: {
        200: { description: 'It does.', headers: commonHeaders, content: jsonContent(health) },
        ...errorAnswers(),
      },
    },
  },
};
