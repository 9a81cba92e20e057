import { randomBytes } from 'node:crypto';
import type { PromptCache } from '../cache/prompt-cache.ts';
import { composeThinking, planText } from '../chat/compose-answer.ts';
import type { PlannedCall } from '../chat/marked-calls.ts';
import { type AnswerContext, preambleOf } from '../chat/preamble.ts';
import { callTokens, planToolCalls } from '../chat/tool-calls.ts';
import type { Fault } from '../faults/fault-schema.ts';
import { countTokens, takeTokens } from '../text/tokenizer.ts';
import { convertMessagesToChat } from './convert-messages-to-chat.ts';
import { messageUsage, type OutputTokens, type ReportedUsage } from './message-usage.ts';
import { isThinking, type MessagesRequest } from './messages-request.ts';
import { promptBlocks } from './prompt-blocks.ts';
import { sealThinking, signThinking } from './thinking-signature.ts';

export type AnswerBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown; caller: { type: 'direct' } };

/** A complete answer, which may be streamed or not. */
export interface Message {
  id: string;
  model: string;
  content: AnswerBlock[];
  /** The beginning of the first text, sent in one piece. */
  preamble: string;
  stopReason: string;
  stopSequence: string | null;
  usage: ReportedUsage;
}

export function planMessage(
  request: MessagesRequest,
  context: AnswerContext & { promptCache: PromptCache },
): Message {
  const { credential, fault, promptCache } = context;
  const preamble = preambleOf(context);
  const { content, output, stopReason, stopSequence } = planContent(request, preamble, fault);
  const blocks = promptBlocks(request);
  const cached = promptCache.useMarked({ credential, model: request.model, blocks });
  return {
    id: `msg_${randomBytes(12).toString('hex')}`,
    model: request.model,
    content,
    preamble,
    stopReason: fault.stop_reason ?? stopReason,
    stopSequence,
    usage: messageUsage(cached, output, fault),
  };
}

interface PlannedContent {
  content: AnswerBlock[];
  output: OutputTokens;
  stopReason: 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use';
  stopSequence: string | null;
}

function planContent(request: MessagesRequest, preamble: string, fault: Fault): PlannedContent {
  const chat = convertMessagesToChat(request);
  const calls = fault.content === undefined ? planToolCalls(chat, 0) : [];
  const thinking = isThinking(request) ? composeThinking(chat, calls) : undefined;
  const thinkingTokens = countTokens(thinking ?? '');
  const thoughts = thinking === undefined ? [] : [thoughtBlock(thinking, request, fault)];

  const whole = calls.length > 0 ? callText(request, calls) : (fault.content ?? planText(chat, 0));
  const { stopSequence, text: beforeStop } = cutAtStop(whole, request.stop_sequences ?? []);
  const left = Math.max(0, request.max_tokens - thinkingTokens);
  const taken = takeTokens(beforeStop, left);
  // Omits calls that do not fit: half an input is useless.
  const isCut = taken.isCut || taken.tokens + callTokens(calls) > left;
  const isStopped = !taken.isCut && stopSequence !== null;
  const made = isCut || isStopped ? [] : calls;
  const text = preamble + taken.text;
  const total = thinkingTokens + countTokens(preamble) + taken.tokens + callTokens(made);
  const ended = made.length > 0 ? 'tool_use' : 'end_turn';
  return {
    content: [...thoughts, ...(text === '' ? [] : [{ type: 'text' as const, text }]), ...made.map(callBlock)],
    output: { total, thinking: thinking === undefined ? undefined : thinkingTokens },
    stopReason: isStopped ? 'stop_sequence' : isCut ? 'max_tokens' : ended,
    stopSequence: isStopped ? stopSequence : null,
  };
}

function thoughtBlock(thinking: string, request: MessagesRequest, fault: Fault): AnswerBlock {
  if (fault.redacted_thinking) return { type: 'redacted_thinking', data: sealThinking(thinking) };
  const { thinking: config } = request;
  const isShown = !(config && 'display' in config && config.display === 'omitted');
  // The signature covers what the client gets and sends back.
  const shown = isShown ? thinking : '';
  return { type: 'thinking', thinking: shown, signature: signThinking(shown) };
}

/** Forced calls come without text, https://docs.claude.com/en/docs/agents-and-tools/tool-use. */
function callText({ tool_choice: choice }: MessagesRequest, calls: readonly PlannedCall[]): string {
  if (choice?.type === 'any' || choice?.type === 'tool') return '';
  return `I'll use ${calls.map(({ name }) => name).join(' and ')} for that.`;
}

function callBlock({ input, name }: PlannedCall): AnswerBlock {
  const id = `toolu_${randomBytes(12).toString('hex')}`;
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } };
}

/** Cuts a text before the first of the sequences that occurs in it. */
function cutAtStop(
  text: string,
  sequences: readonly string[],
): { text: string; stopSequence: string | null } {
  const found = sequences
    .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
    .filter(({ at }) => at !== -1)
    .sort((left, right) => left.at - right.at)[0];
  return { text: text.slice(0, found?.at), stopSequence: found?.sequence ?? null };
}
