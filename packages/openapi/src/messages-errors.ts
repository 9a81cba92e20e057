import {
  type ErrorCode,
  errorEnvelope,
  GatewayError,
  messagesBalanceErrorEnvelope,
  messagesErrorBody,
  messagesErrorEnvelope,
  messagesErrorType,
  messagesProviderError,
} from '@model-gateway/shared';
import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { type Answered, type ErrorForm, EXAMPLE_ID, errorAnswersIn, OPENAI_FORM } from './error-answers.ts';
import { ERROR_EXAMPLES } from './error-examples.ts';
import { messagesHeaders, overloadedHeaders } from './headers.ts';

/** Statuses for bytes that never become a request, so that their route is unknown. */
const OF_NO_REQUEST: ReadonlySet<number> = new Set(
  (['headers_too_large'] satisfies ErrorCode[]).map((code) => ERROR_EXAMPLES[code].error.status),
);
/** Statuses for both malformed bytes and requests. */
const OF_BOTH: ReadonlySet<number> = new Set(
  (['invalid_request', 'request_timeout'] satisfies ErrorCode[]).map(
    (code) => ERROR_EXAMPLES[code].error.status,
  ),
);
/** Statuses that also come from a provider of this API, in its own words. */
const PROVIDERS: ReadonlySet<number> = new Set([400, 413, 422, 429]);
const OVERLOADED = 529;

const MESSAGES_FORM: ErrorForm = {
  schema: (status) => {
    if (OF_NO_REQUEST.has(status)) return OPENAI_FORM.schema(status);
    const own = status === 402 ? messagesBalanceErrorEnvelope : messagesErrorEnvelope;
    const others = [
      ...(PROVIDERS.has(status) ? [messagesProviderError] : []),
      ...(OF_BOTH.has(status) ? [errorEnvelope] : []),
    ];
    return others.length === 0 ? own : z.union([own, ...others]);
  },
  example: (answered, status) =>
    OF_NO_REQUEST.has(status)
      ? OPENAI_FORM.example(answered, status)
      : messagesExample(answered instanceof GatewayError ? answered : ERROR_EXAMPLES[answered].error, status),
  headers: (common, status) => {
    if (OF_NO_REQUEST.has(status)) return common;
    return messagesHeaders(common, OF_BOTH.has(status) ? 'sometimes' : 'always');
  },
};

/** The error answers of a route of Messages: in Anthropic's form, or in the own words of its provider. */
export function messagesErrorAnswers(...own: Answered[]): ZodOpenApiResponsesObject {
  return { ...errorAnswersIn(MESSAGES_FORM, own), [OVERLOADED]: overloaded };
}

const EITHER_FORM: ErrorForm = {
  schema: (status) => z.union([OPENAI_FORM.schema(status), messagesErrorEnvelope]),
  example: OPENAI_FORM.example,
  headers: (common) => messagesHeaders(common, 'sometimes'),
};

/**
 * Returns the errors of a route that answers in the client's form. A header identifies Anthropic's clients.
 */
export function eitherErrorAnswers(...own: Answered[]): ZodOpenApiResponsesObject {
  return errorAnswersIn(EITHER_FORM, own);
}

const overloaded: ZodOpenApiResponseObject = {
  description: 'The provider is overloaded, in its own words.',
  headers: overloadedHeaders,
  content: { 'application/json': { schema: messagesProviderError } },
};

/** Adjusts the type to the status, because a code may have several statuses. */
function messagesExample(error: GatewayError, status: number): { summary: string; value: object } {
  const body = messagesErrorBody(error, EXAMPLE_ID);
  const value = { ...body, error: { ...body.error, type: messagesErrorType(status) } };
  return { summary: ERROR_EXAMPLES[error.code].summary, value };
}
