import { STATUS_CODES } from 'node:http';
import {
  balanceErrorEnvelope,
  type ErrorBody,
  type ErrorCode,
  errorBody,
  errorEnvelope,
  GatewayError,
} from '@model-gateway/shared';
import { invalidField, methodNotAllowed } from '@model-gateway/shared/errors';
import type { ZodObject, ZodType } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { ERROR_EXAMPLES, type Stage } from './error-examples.ts';
import { errorHeaders } from './headers.ts';

/** An error of a route: a code, which shows the usual example, or an error with the route's own message. */
export type RouteError = ErrorCode | GatewayError;

export const EXAMPLE_ID = 'req_0aB1cD2eF3gH4iJ5kL6mN7oP';

/** Every route may respond with these codes. */
const EVERYWHERE = [
  'invalid_request',
  'method_not_allowed',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
] as const satisfies RouteError[];

/** The codes of chats that guardrails check. */
export const CHECKED_ERRORS = ['content_blocked', 'guardrail_unavailable'] as const satisfies RouteError[];

/** Codes that only a request which is settled may get. */
const SETTLED_ONLY: readonly RouteError[] = ['insufficient_balance', 'tag_required', 'end_user_required'];

/** The codes of requests with an Idempotency-Key. */
export const REPEAT_ERRORS = [
  'idempotency_in_progress',
  'idempotency_spent',
  'idempotency_mismatch',
] as const satisfies RouteError[];

/** The codes of every request that goes to a model. */
export const MODEL_ERRORS = [
  invalidField('model', 'is required'),
  methodNotAllowed('GET', ['POST']),
  'invalid_json',
  'wrong_endpoint',
  'upstream_rejected',
  'context_length_exceeded',
  'invalid_api_key',
  'insufficient_balance',
  'tag_required',
  'end_user_required',
  'model_not_allowed',
  'endpoint_not_allowed',
  'network_not_allowed',
  'model_not_found',
  'request_too_large',
  'unsupported_media_type',
  'rate_limit_exceeded',
  'upstream_rate_limited',
  'upstream_error',
  'control_plane_unavailable',
  'overloaded',
  'model_unavailable',
  'upstream_timeout',
  ...REPEAT_ERRORS,
] as const satisfies RouteError[];

/** The same without the codes of requests that are settled, for requests that are free at every model. */
export const FREE_ERRORS = MODEL_ERRORS.filter((code) => !SETTLED_ONLY.includes(code));

type Example = { summary: string; value: object } | { $ref: string };

/** The form of a route's errors in the document. */
export interface ErrorForm {
  schema(status: number): ZodType;
  example(error: RouteError, status: number): Example;
  headers(common: ZodObject, status: number): ZodObject;
}

export const OPENAI_FORM: ErrorForm = {
  schema: (status) => (status === 402 ? balanceErrorEnvelope : errorEnvelope),
  example: (error) =>
    error instanceof GatewayError ? errorExample(error) : { $ref: `#/components/examples/${error}` },
  headers: (common) => common,
};

/** Returns the error responses of a route in OpenAI's form. */
export function errorResponses(...own: RouteError[]): ZodOpenApiResponsesObject {
  return errorResponsesIn(OPENAI_FORM, own);
}

/**
 * Returns the error responses of a route: one per status, with an example of each code. If a code has several
 * examples, the last one is shown.
 */
export function errorResponsesIn(form: ErrorForm, own: readonly RouteError[]): ZodOpenApiResponsesObject {
  const all = new Map<ErrorCode, RouteError>(
    [...EVERYWHERE, ...own].map((each) => [typeof each === 'string' ? each : each.code, each]),
  );
  const statuses = [...new Set([...all.keys()].flatMap(statusesOf))].sort();
  return Object.fromEntries(statuses.map((status) => [String(status), errorResponse(form, status, all)]));
}

function errorResponse(
  form: ErrorForm,
  status: number,
  all: ReadonlyMap<ErrorCode, RouteError>,
): ZodOpenApiResponseObject {
  const own = [...all].filter(([code]) => statusesOf(code).includes(status));
  const stages = { ofStatus: own.map(([code]) => stageOf(code)), ofRoute: [...all.keys()].map(stageOf) };
  return {
    description: `${STATUS_CODES[status]}: ${own.map(([code]) => `\`${code}\``).join(', ')}.`,
    headers: form.headers(errorHeaders(status, stages), status),
    content: {
      'application/json': {
        schema: form.schema(status),
        examples: Object.fromEntries(own.map(([code, error]) => [code, form.example(error, status)])),
      },
    },
  };
}

function stageOf(code: ErrorCode): Stage {
  return ERROR_EXAMPLES[code].stage;
}

function statusesOf(code: ErrorCode): readonly number[] {
  const { error, statuses } = ERROR_EXAMPLES[code];
  return statuses ?? [error.status];
}

export function errorExamples(): Record<string, { summary: string; value: ErrorBody }> {
  return Object.fromEntries(
    Object.entries(ERROR_EXAMPLES).map(([code, { error }]) => [code, errorExample(error)]),
  );
}

function errorExample(error: GatewayError): { summary: string; value: ErrorBody } {
  return { summary: ERROR_EXAMPLES[error.code].summary, value: exampleBody(error) };
}

/** Returns the error body that the document shows. */
export function exampleBody(error: GatewayError): ErrorBody {
  return errorBody(error, EXAMPLE_ID);
}
