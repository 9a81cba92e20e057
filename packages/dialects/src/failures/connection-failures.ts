import type { GatewayError, ProviderReport } from '@model-gateway/shared';
import { badGateway, providerUnreachable, proxyUnreachable } from '@model-gateway/shared/errors';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { connectionReason } from './connection-reason.ts';
import { withVerdict } from './verdict-of.ts';
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
  const reason = connectionReason(thrown);
  const what = `could not be reached${reason === undefined ? '' : ` (${reason})`}`;
  return withVerdict(badGateway(thrown, reportConnection(what, thrown)), VERDICTS.not_connected);
}

/** Reports a failed connection: only the operator sees the system's words, which name the address. */
function reportConnection(caller: string, thrown: unknown): ProviderReport {
  const { code, message }: JsonObject = isObject(thrown) ? thrown : {};
  const words = String(message || code || '');
  return words === '' ? { caller } : { caller, operator: `${caller}: ${words}` };
}
