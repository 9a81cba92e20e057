import type { GatewayError, ProviderReport } from '@model-gateway/shared';
import {
  badGateway,
  providerNotReached,
  providerUnreachable,
  proxyUnreachable,
} from '@model-gateway/shared/errors';
import { isObject } from '../json/json-object.ts';
import { withVerdict } from './provider-failures.ts';
import { VERDICTS } from './verdicts.ts';

export interface FailedConnection {
  /** False if there was no connection to send the request on. */
  isSent: boolean;
  /** True if the provider had sent the head of its response. */
  hasResponded: boolean;
  /** True if the request may be the cause: it arrived slowly, or is large. */
  mayBeRequest: boolean;
}

/** Returns the error for anything that undici throws before or during a response. */
export function connectionFailure(
  thrown: unknown,
  { isSent, hasResponded, mayBeRequest }: FailedConnection,
): GatewayError {
  if (!isSent) return notConnected(thrown);
  const report = reportConnection(
    hasResponded ? 'broke off its answer' : 'broke the connection off before it answered',
    thrown,
  );
  if (mayBeRequest) {
    const error = badGateway(new Error('the connection broke', { cause: thrown }), report);
    return withVerdict(
      error,
      hasResponded ? VERDICTS.caused_by_request : VERDICTS.connection_failed_slow_request,
    );
  }
  const error = badGateway(thrown, report);
  return hasResponded ? error : withVerdict(error, VERDICTS.connection_failed);
}

/** Returns the error for a proxy that opened no connection to the provider. @param reason for the log */
export function proxyFailed(reason: string, { timedOut = false } = {}): GatewayError {
  const verdict = timedOut ? VERDICTS.connect_timed_out : VERDICTS.not_connected;
  return withVerdict(proxyUnreachable(new Error(reason), timedOut), verdict);
}

function notConnected(thrown: unknown): GatewayError {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return withVerdict(providerUnreachable(thrown), VERDICTS.connect_timed_out);
  const [, reason, toCheck] = connectionReason(thrown) ?? [];
  const what = `could not be reached${reason === undefined ? '' : ` (${reason})`}`;
  const report = reportConnection(what, thrown);
  const error =
    toCheck === undefined ? badGateway(thrown, report) : providerNotReached(thrown, report, toCheck);
  return withVerdict(error, VERDICTS.not_connected);
}

/** Only the operator sees the system's words, which name the address. */
function reportConnection(caller: string, thrown: unknown): ProviderReport {
  const { code = '', message = '' }: { code?: unknown; message?: unknown } = isObject(thrown) ? thrown : {};
  const words = String(message || code);
  return words === '' ? { caller } : { caller, operator: `${caller}: ${words}` };
}

/** `toCheck` is set if the reason seldom passes by itself. */
type Reason = readonly [codes: RegExp, reason: string, toCheck?: string];

/** Reasons by the codes of Node and undici. They name no address, as the errors themselves do. */
const REASONS: readonly Reason[] = [
  [/^ECONNREFUSED$/, 'connection refused', 'address'],
  [/^ENOTFOUND$/, 'its host name was not found', 'address'],
  [/^EAI_AGAIN$/, 'its host name was not found'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/, 'no route to its network'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection reset'],
  [/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'no connection in time'],
  [/CERT|UNABLE_TO_|SELF_SIGNED|ERR_TLS_/, 'its TLS certificate is not valid', 'address and certificate'],
  [/^(?:EPROTO|ERR_SSL_)/, 'TLS failed'],
];

/** Returns why a connection failed; undefined: for a reason without a name. */
function connectionReason(thrown: unknown): Reason | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  const code = String(thrown.code);
  return REASONS.find(([codes]) => codes.test(code));
}
