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
import { ERROR_EXAMPLES } from './error-examples.ts';
import {
  type ErrorForm,
  EXAMPLE_ID,
  errorResponsesIn,
  OPENAI_FORM,
  type RouteError,
} from './error-responses.ts';
import { messagesHeaders, overloadedHeaders } from './headers.ts';

/** Statuses for bytes that never become a request. Their route is unknown, so the form is OpenAI's. */
const WITHOUT_REQUEST: ReadonlySet<number> = new Set(
  (['headers_too_large'] satisfies ErrorCode[]).map((code) => ERROR_EXAMPLES[code].error.status),
);
/** Statuses for both malformed bytes and requests. */
const WITH_OR_WITHOUT_REQUEST: ReadonlySet<number> = new Set(
  (['invalid_request', 'request_timeout'] satisfies ErrorCode[]).map(
    (code) => ERROR_EXAMPLES[code].error.status,
  ),
);
/** Statuses for which a provider with this API may also send its own error, which is passed through. */
const PASSED_THROUGH: ReadonlySet<number> = new Set([400, 413, 422, 429]);
const OVERLOADED = 529;

const MESSAGES_FORM: ErrorForm = {
  schema: (status) => {
    if (WITHOUT_REQUEST.has(status)) return OPENAI_FORM.schema(status);
    const own = status === 402 ? messagesBalanceErrorEnvelope : messagesErrorEnvelope;
    const others = [
      ...(PASSED_THROUGH.has(status) ? [messagesProviderError] : []),
      ...(WITH_OR_WITHOUT_REQUEST.has(status) ? [errorEnvelope] : []),
    ];
    return others.length === 0 ? own : z.union([own, ...others]);
  },
  example: (error, status) =>
    WITHOUT_REQUEST.has(status)
      ? OPENAI_FORM.example(error, status)
      : messagesExample(error instanceof GatewayError ? error : ERROR_EXAMPLES[error].error, status),
  headers: (common, status) => {
    if (WITHOUT_REQUEST.has(status)) return common;
    return messagesHeaders(common, WITH_OR_WITHOUT_REQUEST.has(status) ? 'sometimes' : 'always');
  },
};

/** Returns the error responses of a Messages route: in Anthropic's form, or those of the provider. */
export function messagesErrorResponses(...own: RouteError[]): ZodOpenApiResponsesObject {
  return { ...errorResponsesIn(MESSAGES_FORM, own), [OVERLOADED]: overloaded };
}

const EITHER_FORM: ErrorForm = {
  schema: (status) => z.union([OPENAI_FORM.schema(status), messagesErrorEnvelope]),
  example: OPENAI_FORM.example,
  headers: (common) => messagesHeaders(common, 'sometimes'),
};

/**
 * Returns the errors of a route that responds in the client's form. A header identifies Anthropic's clients.
 */
export function eitherErrorResponses(...own: RouteError[]): ZodOpenApiResponsesObject {
  return errorResponsesIn(EITHER_FORM, own);
}

const overloaded: ZodOpenApiResponseObject = {
  description: "The provider is overloaded. The error is the provider's.",
  headers: overloadedHeaders,
  content: { 'application/json': { schema: messagesProviderError } },
};

/** Adjusts the type to the status, because a code may have several statuses. */
function messagesExample(error: GatewayError, status: number): { summary: string; value: object } {
  const body = messagesErrorBody(error, EXAMPLE_ID);
  const value = { ...body, error: { ...body.error, type: messagesErrorType(status) } };
  return { summary: ERROR_EXAMPLES[error.code].summary, value };
}
