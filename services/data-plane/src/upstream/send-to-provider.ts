import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import {
  credentialExpired,
  errorForResponse,
  reportStatus,
  responseTooLong,
  type UpstreamRequest,
  upstreamTimeout,
  withRefusalReport,
} from '@model-gateway/dialects';
import type { ProviderAttempt } from './capability-call.ts';
import type { ProviderPools } from './provider-pools.ts';
import { requestIdInHeaders } from './provider-request-id.ts';
import { redactedJson, secretRedactor } from './redact.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';
import type { UpstreamCall } from './upstream-call.ts';

/** Lists request fields that the provider's API lacks and that were dropped. */
const IGNORED_HEADER = 'x-gateway-ignored';
/** Statuses whose error body passes to callers of the same API (docs/messages-api.md). */
const PASSED_STATUS = new Set([400, 413, 422, 429, 529]);
const MAX_ERROR_BYTES = 64 * 1024;
/** How long a provider may take to send an error body. */
const ERROR_BODY_MS = 2_000;

/** The caller's request and response, as far as a call to a provider needs them. */
export interface CallerExchange {
  req: Pick<IncomingMessage, 'headers'>;
  /** Left out after the caller's response has ended. */
  res?: ServerResponse;
}

/**
 * Sends the request and waits for the response's head.
 * @returns a response with status 200
 * @throws GatewayError for any other status, a failed connection, or a timeout
 */
export async function sendToProvider(
  pools: ProviderPools,
  { req, res }: CallerExchange,
  current: ProviderAttempt,
  request: UpstreamRequest,
  streamed: boolean,
): Promise<UpstreamAnswer> {
  const { attempt, call, provider } = current;
  const hasTotalLimit = limitUntilAnswer(current, streamed);
  const { protocol, headers: constant, origin, pathPrefix } = provider;
  if (res !== undefined) setIgnoredHeader(res, request.ignored ?? []);
  const { fetched } = current;
  // A fetched credential adds itself.
  const credential = fetched === undefined ? current.credential : undefined;
  const unsigned = {
    path: pathPrefix + request.path,
    headers: protocol.head({ constant, credential, request, req }),
  };
  const { body, method = 'POST' } = request;
  const { path, headers } =
    fetched === undefined ? unsigned : await fetched.authenticate({ ...unsigned, method, origin, body });
  // Signatures leave it out, and providers that trace join the request's trace.
  if (attempt.traceparent !== undefined) headers.traceparent = attempt.traceparent;
  const answer = await call.send(pools.get(provider), {
    method: request.method,
    path,
    headers,
    body: body?.content,
  });
  attempt.httpStatus = answer.statusCode;
  attempt.providerRequestId = requestIdInHeaders(answer.headers, protocol.requestIdHeader);
  if (answer.statusCode !== 200) throw await readRejection(current, answer, request);
  if (hasTotalLimit) limitRestOfAnswer(current);
  return answer;
}

function setIgnoredHeader(res: ServerResponse, names: readonly string[]): void {
  // A keep-alive may have sent the headers already.
  if (res.headersSent) return;
  if (names.length > 0) res.setHeader(IGNORED_HEADER, names.join(', '));
  else if (res.hasHeader(IGNORED_HEADER)) res.removeHeader(IGNORED_HEADER);
}

/** Sets the timeout until the response begins. @returns true if another one applies afterwards */
function limitUntilAnswer({ call, provider }: ProviderAttempt, streamed: boolean): boolean {
  const { firstByteMs, firstBytePlainMs, totalMs } = provider.timeouts;
  if (streamed) {
    call.limit(firstByteMs, () => upstreamTimeout('the first event', firstByteMs));
    return false;
  }
  if (firstBytePlainMs === undefined || firstBytePlainMs >= totalMs) {
    call.limit(totalMs, () => upstreamTimeout('the answer', totalMs));
    return false;
  }
  call.limit(firstBytePlainMs, () => upstreamTimeout('the first byte of the answer', firstBytePlainMs));
  return true;
}

/**
 * Sets the total timeout once the response has begun. Then the request, such as a large `max_tokens`, is to
 * blame for a timeout, not the provider.
 */
function limitRestOfAnswer({ attempt, call, provider }: ProviderAttempt): void {
  const { totalMs } = provider.timeouts;
  call.limitSince(attempt.startedAtMs, totalMs, () => responseTooLong(totalMs));
}

async function readRejection(
  {
    attempt: { credentialEnv },
    call,
    fetched,
    provider: { protocol, id: providerId },
    secrets,
    source,
  }: ProviderAttempt,
  { headers, statusCode: status }: UpstreamAnswer,
  { isOwnApi, isOwnError, errorFor, replaceProviderIds }: UpstreamRequest,
): Promise<unknown> {
  const usedCredential = { providerId, credentialEnv, source };
  const retryAfter = readHeader(headers, 'retry-after');
  const redact = secretRedactor(secrets);
  const error = (bodyText: string) => {
    if (fetched?.refused(status, bodyText))
      return withRefusalReport(credentialExpired(status), status, redact(bodyText));
    const ofRequest = errorFor?.({ status, bodyText, redact });
    if (ofRequest !== undefined) {
      ofRequest.report ??= reportStatus(status, bodyText, redact);
      return ofRequest;
    }
    const isPassed = isOwnApi === true && PASSED_STATUS.has(status) && isOwnError?.(bodyText) !== false;
    const answer = {
      status,
      retryAfter,
      bodyText,
      // Undefined for an HTML page of a proxy in front of the provider.
      bodyForCaller: isPassed ? redactedJson(bodyText, secrets) : undefined,
      ...protocol.errorDetails?.(bodyText),
    };
    return errorForResponse(answer, usedCredential, redact);
  };
  const bodyText = await readErrorBody(call);
  return error(replaceProviderIds?.(bodyText) ?? bodyText);
}

function readHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Reads the start of an error body. @throws the reason that the call was given up for */
export async function readErrorBody(call: Pick<UpstreamCall, 'readStart'>): Promise<string> {
  return (await call.readStart(MAX_ERROR_BYTES, ERROR_BODY_MS)).toString();
}
