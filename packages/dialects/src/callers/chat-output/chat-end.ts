import { causedByRequest } from '../../failures/provider-failures.ts';

/** Why an answer ended, in the words of Chat Completions. */
export type ChatEnd = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** OpenAI's words, and those of other servers of its API. Any other word is an end like "stop". */
const ENDS: ReadonlyMap<unknown, ChatEnd> = new Map([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['refusal', 'content_filter'],
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
export function chatEndOf(finishReason: unknown, hasCalls: boolean): ChatEnd {
  if (BROKEN.has(finishReason))
    throw causedByRequest(`the provider ended its answer with ${String(finishReason)}`);
  const said = ENDS.get(finishReason) ?? 'stop';
  if (said === 'tool_calls' && !hasCalls)
    throw causedByRequest('the provider ended its answer for tool calls that it did not send');
  return said;
}

/** @throws GatewayError 502 for a stream without a `finish_reason`: it may have broken off anywhere */
export function requireFinishReason(finishReason: unknown): void {
  if (finishReason === undefined)
    throw causedByRequest('the provider ended its stream without a finish_reason');
}

/** Returns true if an answer with this end may hold a call whose arguments are cut off. */
export function mayCutCalls(end: ChatEnd): boolean {
  return end === 'length' || end === 'content_filter';
}

export function brokenCall(): Error {
  return causedByRequest('the arguments of a tool call of the provider are no JSON object');
}
