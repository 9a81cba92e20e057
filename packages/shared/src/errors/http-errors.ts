import type { AbsentEndpoint } from '../wire/absent-endpoints.ts';
import type { BaseUrlMistake } from '../wire/base-url-mistakes.ts';
import { GatewayError } from './gateway-error.ts';

/** The error for bytes that are no valid HTTP request. @param advice a sentence */
export function malformedRequest(advice: string, cause?: unknown): GatewayError {
  return new GatewayError('invalid_request', `The HTTP request is malformed. ${advice}`, { cause });
}

/** @param maxBytes the limit for header block and URI together */
export function headersTooLarge(maxBytes: number, cause?: unknown): GatewayError {
  const message = `Header block and URI may have at most ${maxBytes} bytes.`;
  return new GatewayError('headers_too_large', message, { cause });
}

export function requestTooSlow(cause?: unknown): GatewayError {
  return new GatewayError('request_timeout', 'The request did not arrive in time. Send it faster.', {
    cause,
  });
}

export function unknownExpectation(): GatewayError {
  return new GatewayError('expectation_failed', 'Send no Expect header other than 100-continue.');
}

/** The error for a known path with a wrong method. */
export function methodNotAllowed(method: string, allowed: readonly string[]): GatewayError {
  const allow = allowed.join(', ');
  return new GatewayError('method_not_allowed', `${method} is not allowed here. Use ${allow}.`, {
    headers: { allow },
  });
}

export function routeNotFound(): GatewayError {
  const message = 'There is no such route. GET /docs lists the routes, and GET /v1/models the models.';
  return new GatewayError('not_found', message);
}

export function baseUrlIsNoRoute(): GatewayError {
  const message =
    'This is the base URL, not a route. Send requests to a route below it, such as ' +
    'POST /v1/chat/completions. GET /docs lists the routes.';
  return new GatewayError('not_found', message);
}

const BASE_URL_ADVICE: Readonly<Record<BaseUrlMistake['kind'], string>> = {
  no_v1: 'Your base URL must end in /v1.',
  v1_twice:
    'The path has /v1 twice. Your base URL must end in one /v1, and in none for clients that add /v1 themselves, ' +
    "as Anthropic's do.",
  client_adds_v1:
    "Anthropic's and some other clients add /v1 themselves. Their base URL must not end in /v1 " +
    'or the path of an endpoint.',
  whole_endpoint: 'Your base URL must end in /v1, without the path of an endpoint.',
};

/** The error for an unknown path that comes from a wrong base URL. */
export function baseUrlIsWrong({ kind, meant }: BaseUrlMistake): GatewayError {
  const message = `${BASE_URL_ADVICE[kind]} There is no such route; the one that is meant is ${meant}.`;
  return new GatewayError('not_found', message);
}

export function endpointAbsent({ api = 'OpenAI', instead, path, what }: AbsentEndpoint): GatewayError {
  const advice = instead === undefined ? '' : ` Instead: ${instead}.`;
  const message =
    `The gateway does not have this part of ${api}'s API: ` +
    `${path}, ${what}.${advice} GET /docs lists the routes.`;
  return new GatewayError('not_found', message);
}
