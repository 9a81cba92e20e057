import type { ChatEnd } from '../chat-output/chat-end.ts';

export type StopReason = 'end_turn' | 'max_tokens' | 'tool_use' | 'refusal';

const STOP_REASONS: Readonly<Record<ChatEnd, StopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

export function mapMessagesStopReason(
  end: ChatEnd,
  { hasCalls, isRefusal }: { hasCalls: boolean; isRefusal: boolean },
): StopReason {
  if (end !== 'stop') return STOP_REASONS[end];
  if (isRefusal) return 'refusal';
  // Several servers send `stop` with calls.
  return hasCalls ? 'tool_use' : 'end_turn';
}
