import { badGateway } from '@model-gateway/shared/errors';

/** Anthropic's words for why an answer ended, as far as other providers have them. */
export type StopReason = 'end_turn' | 'max_tokens' | 'tool_use' | 'refusal';

/** OpenAI's words, and those of other servers of its API. Any other word is an end like "stop". */
const STOP_REASONS: ReadonlyMap<unknown, StopReason> = new Map([
  ['length', 'max_tokens'],
  ['max_tokens', 'max_tokens'],
  ['model_length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['content_filter', 'refusal'],
  ['safety', 'refusal'],
  ['refusal', 'refusal'],
]);
/** Words of providers that have stopped in the middle of an answer. */
const BROKEN: ReadonlySet<unknown> = new Set([
  'error',
  'abort',
  'aborted',
  'cancelled',
  'insufficient_system_resource',
]);

/**
 * @param finishReason of the choice
 * @throws GatewayError 502 when the provider says that the answer is not complete, or that it calls tools
 *   and none is there
 */
export function stopReasonOf(
  finishReason: unknown,
  { hasCalls, isRefusal }: { hasCalls: boolean; isRefusal: boolean },
): StopReason {
  if (BROKEN.has(finishReason))
    throw badGateway(new Error(`the provider ended its answer with ${String(finishReason)}`));
  const said = STOP_REASONS.get(finishReason) ?? 'end_turn';
  if (said === 'tool_use' && !hasCalls)
    throw badGateway(new Error('the provider ended its answer for tool calls that it did not send'));
  if (said !== 'end_turn') return said;
  if (isRefusal) return 'refusal';
  // Several servers call that an end, too.
  return hasCalls ? 'tool_use' : 'end_turn';
}

/** Whether an answer with this end may hold a call whose arguments are cut off. */
export function mayCutCalls(stopReason: StopReason): boolean {
  return stopReason === 'max_tokens' || stopReason === 'refusal';
}

export function brokenCall(): Error {
  return badGateway(new Error('the arguments of a tool call of the provider are no JSON object'));
}
