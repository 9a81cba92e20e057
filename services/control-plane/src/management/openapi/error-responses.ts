import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.ts';
import type { Method, Route } from '../route.ts';

const codes = Object.keys(ERROR_CODES);
const types = [...new Set(Object.values(ERROR_CODES).map(({ type }) => type))];

/** The envelope of every error. */
const errorEnvelope = z
  .object({
    error: z.object({
      message: z.string().min(1).describe('Says what is wrong and what to do next.'),
      type: z.enum(types),
      code: z.enum(codes),
      param: z.string().nullable().describe('JSON path of the wrong field, or name of the wrong header.'),
      request_id: z.string(),
    }),
  })
  .meta({ id: 'Error' });

const EVERYWHERE: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_api_key',
  'permission_denied',
  'network_not_allowed',
  'unknown_field',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
];
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'request_too_large', 'unsupported_media_type'];
const OF_CHANGES: readonly ErrorCode[] = ['not_found', 'already_exists', 'conflict'];
const OF_METHODS: Partial<Record<Method, readonly ErrorCode[]>> = {
  GET: ['not_found'],
  POST: [...OF_CHANGES, 'idempotency_key_reused'],
  PATCH: [...OF_CHANGES, 'precondition_failed', 'precondition_required'],
  PUT: [...OF_CHANGES, 'precondition_failed'],
  DELETE: [...OF_CHANGES, 'precondition_failed'],
};

/** Returns the error responses of a route, one per status. */
export function errorResponses({ body, errors, ifMatch, method }: Route): ZodOpenApiResponsesObject {
  const conditions = ifMatch === 'needed' ? OF_METHODS.PATCH : OF_METHODS[method];
  const all = [
    ...EVERYWHERE,
    ...(body === undefined ? [] : WITH_BODY),
    ...(OF_METHODS[method] ?? []),
    ...(conditions ?? []),
  ];
  const byStatus = Map.groupBy(new Set(all), (code) => ERROR_CODES[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      String(status),
      {
        description: `${STATUS_CODES[status]}: ${ofStatus.map((code) => `\`${code}\``).join(', ')}.`,
        content: { 'application/json': { schema: errors ?? errorEnvelope } },
      },
    ]),
  );
}
