import { STATUS_CODES } from 'node:http';
import { balanceErrorEnvelope, errorEnvelope } from '@model-gateway/shared';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { type DocumentedCode, ERROR_EXAMPLES, exampleBody, type Stage } from './error-examples.ts';
import { errorHeaders } from './headers.ts';

/** Every route may answer these codes. */
const EVERYWHERE = [
  'invalid_request',
  'method_not_allowed',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
] as const satisfies DocumentedCode[];

/** The codes of every GET of /v1, which is limited per key or per client address. */
export const READ_CODES = [
  'rate_limit_exceeded',
  'control_plane_unavailable',
] as const satisfies DocumentedCode[];

/** The codes of every request that goes to a model. */
export const MODEL_CODES = [
  'invalid_json',
  'wrong_endpoint',
  'upstream_rejected',
  'invalid_api_key',
  'insufficient_balance',
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
] as const satisfies DocumentedCode[];

/** The error answers of a route: one per status, with an example of each code. */
export function errorAnswers(...codes: DocumentedCode[]): ZodOpenApiResponsesObject {
  const all = [...new Set<DocumentedCode>([...EVERYWHERE, ...codes])];
  const statuses = [...new Set(all.flatMap((code) => [...ERROR_EXAMPLES[code].statuses]))].sort();
  return Object.fromEntries(statuses.map((status) => [String(status), errorAnswer(status, all)]));
}

function errorAnswer(status: number, codes: readonly DocumentedCode[]): ZodOpenApiResponseObject {
  const own = codes.filter((code) => statusesOf(code).includes(status));
  const stages = { ofStatus: stagesOf(own), ofRoute: stagesOf(codes) };
  return {
    description: `${STATUS_CODES[status]}: ${own.map((code) => `\`${code}\``).join(', ')}.`,
    headers: errorHeaders(status, stages),
    content: {
      'application/json': {
        schema: status === 402 ? balanceErrorEnvelope : errorEnvelope,
        examples: Object.fromEntries(own.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

function stagesOf(codes: readonly DocumentedCode[]): Stage[] {
  return codes.map((code) => ERROR_EXAMPLES[code].stage);
}

function statusesOf(code: DocumentedCode): readonly number[] {
  return ERROR_EXAMPLES[code].statuses;
}

/** The examples to which the answers refer. */
export function errorExamples(): Record<string, { summary: string; value: object }> {
  return Object.fromEntries(
    codesOf(ERROR_EXAMPLES).map((code) => [
      code,
      { summary: ERROR_EXAMPLES[code].summary, value: exampleBody(code) },
    ]),
  );
}

function codesOf<Table extends object>(table: Table): (keyof Table & string)[] {
  return Object.keys(table).filter((key): key is keyof Table & string => key in table);
}
