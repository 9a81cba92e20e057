import { infoWriter, type Logger, serializeError } from '@model-gateway/service-kit';
import { formatUsd, type UnitColumn } from '@model-gateway/shared';
import {
  CLIENT_CLOSED_REQUEST,
  isStreamed,
  modelOf,
  operatorsReport,
  type UpstreamAttempt,
} from '../request-record.ts';
import { ClientGone, type Exchange } from './exchange.ts';

/** Its head was not written by `res`. */
const SWITCHING_PROTOCOLS = 101;

export type AccessLog = (exchange: Exchange, endedAtMs: number) => void;

export function createAccessLog(log: Logger): AccessLog {
  const write = infoWriter(log, 'request');
  return (exchange, endedAtMs) => write(lineOf(exchange, endedAtMs));
}

/**
 * Names every field, so that nothing else reaches the log. A loop over the units would make the line 10 %
 * slower; `satisfies` finds a missing one.
 */
function lineOf(exchange: Exchange, endedAtMs: number) {
  const { req, record } = exchange;
  const { key, error } = record;
  const { outcome, usage } = record.charge ?? record;
  const model = modelOf(record);
  const attempt = record.attempts.at(-1);
  return {
    request_id: record.id,
    client_request_id: record.clientRequestId,
    trace_id: record.trace?.traceId,
    span_id: record.trace?.spanId,
    method: req.method,
    route: record.route,
    status: loggedStatus(exchange),
    client_ip: record.clientIp,
    duration_ms: round(endedAtMs - record.startedAtMs),
    key_id: key?.keyId,
    account_id: key?.accountId,
    seat_id: key?.seatId,
    tags: record.tags,
    session: record.session,
    model: model?.id,
    streamed: isStreamed(record) || undefined,
    provider: attempt?.providerId,
    credential_env: attempt?.credentialEnv,
    attempts: record.attempts.length > 1 ? record.attempts.map(attemptFields) : undefined,
    upstream_status: attempt?.httpStatus,
    provider_error: attempt?.report && operatorsReport(attempt),
    upstream_ms: attempt && round((attempt.endedAtMs ?? endedAtMs) - attempt.startedAtMs),
    time_to_first_byte_ms: attempt?.firstByteAtMs && round(attempt.firstByteAtMs - record.startedAtMs),
    provider_request_id: attempt?.providerRequestId,
    outcome,
    silent_ms: attempt?.silentMs && round(attempt.silentMs),
    input_tokens: usage?.inputTokens,
    cached_input_tokens: usage?.cachedInputTokens,
    cache_write_tokens: usage?.cacheWriteTokens || undefined,
    cache_write_1h_tokens: usage?.cacheWrite1hTokens || undefined,
    audio_input_tokens: usage?.audioInputTokens || undefined,
    image_input_tokens: usage?.imageInputTokens || undefined,
    output_tokens: usage?.outputTokens,
    reasoning_tokens: usage?.reasoningTokens || undefined,
    audio_output_tokens: usage?.audioOutputTokens || undefined,
    image_output_tokens: usage?.imageOutputTokens || undefined,
    images: usage?.images || undefined,
    characters: usage?.characters || undefined,
    audio_ms: usage?.audioMs || undefined,
    search_units: usage?.searchUnits || undefined,
    web_search_requests: usage?.webSearchRequests || undefined,
    tool_calls: usage?.toolCalls || undefined,
    usage_source: usage?.source,
    cost_usd: model?.price === undefined ? undefined : formatUsd(record.costNanoUsd ?? 0n),
    error_code: error?.code,
    error: error !== undefined && error.status >= 500 ? serializeError(error.cause ?? error) : undefined,
  } satisfies Record<string, unknown> & Record<UnitColumn, unknown>;
}

function attemptFields(attempt: UpstreamAttempt) {
  const { credentialEnv, endedAtMs, httpStatus, modelId, outcome, providerId, startedAtMs } = attempt;
  return {
    provider: providerId,
    model: modelId,
    credential_env: credentialEnv,
    upstream_status: httpStatus,
    provider_error: operatorsReport(attempt),
    outcome,
    duration_ms: endedAtMs && round(endedAtMs - startedAtMs),
  };
}

export function loggedStatus({ res, stop }: Exchange): number {
  const hasAnswer = res.headersSent || res.statusCode === SWITCHING_PROTOCOLS;
  return stop.signal.reason instanceof ClientGone && !hasAnswer ? CLIENT_CLOSED_REQUEST : res.statusCode;
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
