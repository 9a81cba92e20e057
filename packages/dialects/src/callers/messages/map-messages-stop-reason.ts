import type { ChatEnd } from '../chat-output/chat-end.ts';

/** Anthropic's words for why an answer ended, as far as other providers have them. */
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
  // Several servers call that an end, too.
  return hasCalls ? 'tool_use' : 'end_turn';
}
