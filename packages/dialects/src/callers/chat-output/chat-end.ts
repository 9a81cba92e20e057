import { causedByRequest, gaveUp } from '../../failures/provider-failures.ts';

export type ChatEnd = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** Finish reasons of OpenAI and compatible servers. Others mean `stop`. */
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
/** Finish reasons of incomplete responses. */
const BROKEN: ReadonlySet<unknown> = new Set([
  'error',
  'abort',
  'aborted',
  'cancelled',
  'insufficient_system_resource',
]);

/** @throws GatewayError 502 for an incomplete response, and for `tool_calls` without calls */
export function chatEndOf(finishReason: unknown, hasCalls: boolean): ChatEnd {
  if (BROKEN.has(finishReason)) throw gaveUp(`the provider ended it with "${String(finishReason)}"`);
  const end = ENDS.get(finishReason) ?? 'stop';
  if (end === 'tool_calls' && !hasCalls)
    throw causedByRequest('the provider ended its answer for tool calls that it did not send');
  return end;
}

/** @throws GatewayError 502 for a stream without a `finish_reason`, which may be incomplete */
export function requireFinishReason(finishReason: unknown): void {
  if (finishReason === undefined)
    throw causedByRequest('the provider ended its stream without a finish_reason');
}

/** Returns true if the arguments of a call may be cut off. */
export function mayCutCalls(end: ChatEnd): boolean {
  return end === 'length' || end === 'content_filter';
}

export function brokenCall(): Error {
  return gaveUp('it called a tool with arguments that are not a JSON object');
}
