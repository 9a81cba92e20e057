import { causedByRequest } from '../../failures/provider-failures.ts';
import { finishReasonFor } from '../shared/finish-reason-for.ts';

/** Source: https://docs.cohere.com/reference/chat, `finish_reason`. Older models send the last. */
const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
  ['COMPLETE', 'stop'],
  ['STOP_SEQUENCE', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['TOOL_CALL', 'tool_calls'],
  ['ERROR_TOXIC', 'content_filter'],
]);

/** Incomplete responses with status 200. */
const FAILURES: ReadonlySet<string> = new Set(['ERROR', 'TIMEOUT', 'USER_CANCEL']);

/** Unknown reasons become `stop`. @throws GatewayError 502 without a reason and after a failure */
export function mapCohereFinishReason(reason: unknown, hasCalls: boolean): string {
  if (typeof reason !== 'string') throw causedByRequest('the provider does not say why its answer ended');
  if (FAILURES.has(reason)) throw causedByRequest(`the provider has ended its answer with ${reason}`);
  return finishReasonFor(FINISH_REASONS.get(reason) ?? 'stop', hasCalls);
}
