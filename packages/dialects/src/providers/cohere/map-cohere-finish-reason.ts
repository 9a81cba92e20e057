import { causedByRequest } from '../../failures/provider-failures.ts';
import { finishReasonFor } from '../shared/finish-reason-for.ts';

/** Source: https://docs.cohere.com/reference/chat, `finish_reason`. The last is the word of older models. */
const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
  ['COMPLETE', 'stop'],
  ['STOP_SEQUENCE', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['TOOL_CALL', 'tool_calls'],
  ['ERROR_TOXIC', 'content_filter'],
]);

/** The answer is not whole, although its status was 200. */
const FAILURES: ReadonlySet<string> = new Set(['ERROR', 'TIMEOUT', 'USER_CANCEL']);

/**
 * Why an answer ended. Reasons that are not known yet end an answer as well.
 * @throws GatewayError 502 when it ended because the provider failed, and when it says nothing of it
 */
export function mapCohereFinishReason(reason: unknown, hasCalls: boolean): string {
  if (typeof reason !== 'string') throw causedByRequest('the provider does not say why its answer ended');
  if (FAILURES.has(reason)) throw causedByRequest(`the provider has ended its answer with ${reason}`);
  return finishReasonFor(FINISH_REASONS.get(reason) ?? 'stop', hasCalls);
}
