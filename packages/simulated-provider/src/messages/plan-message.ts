import { randomBytes } from 'node:crypto';
import { composeThinking } from '../chat/compose-thinking.ts';
import { planText } from '../chat/plan-text.ts';
import type { PlannedCall } from '../chat/planned-call.ts';
import { planToolCalls } from '../chat/tool-calls.ts';
import type { Fault } from '../faults/fault-schema.ts';
import { takeTokens } from '../text/take-tokens.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { asChatRequest } from './as-chat-request.ts';
import { messageUsage, type OutputTokens, type ToldUsage } from './message-usage.ts';
import { isThinking, type MessagesRequest } from './messages-request.ts';
import { promptBlocks } from './prompt-blocks.ts';
import type { PromptCache } from './prompt-cache.ts';
import { sealThinking, signThinking } from './signature.ts';

export type AnswerBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown; caller: { type: 'direct' } };

/** A complete answer; whether it is streamed is decided later. */
export interface Message {
  id: string;
  model: string;
  content: AnswerBlock[];
  /** How much of the first text is sent in one piece: what the knob `echo_credential` asks for. */
  preamble: string;
  stopReason: string;
  stopSequence: string | null;
  usage: ToldUsage;
}

export interface MessageOptions {
  fault: Fault;
  credential: string | undefined;
  tokenizer: Tokenizer;
  promptCache: PromptCache;
}

export function planMessage(request: MessagesRequest, options: MessageOptions): Message {
  const { credential, fault, promptCache, tokenizer } = options;
  const preamble = fault.echo_credential ? `You called me with ${credential ?? 'no credential'}. ` : '';
  const { content, output, stopReason, stopSequence } = planContent(request, preamble, options);
  const cached = promptCache.use(request.model, promptBlocks(request, tokenizer));
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

function planContent(
  request: MessagesRequest,
  preamble: string,
  { fault, tokenizer }: MessageOptions,
): PlannedContent {
  const chat = asChatRequest(request);
  const calls = fault.content === undefined ? planToolCalls(chat, 0) : [];
  const thinking = isThinking(request) ? composeThinking(chat, calls) : undefined;
  const thinkingTokens = thinking === undefined ? 0 : tokenizer.count(thinking);
  const thoughts = thinking === undefined ? [] : [thoughtBlock(thinking, request, fault)];

  const spoken = calls.length > 0 ? callText(request, calls) : (fault.content ?? planText(chat, 0));
  const { stopSequence, text: beforeStop } = untilStop(spoken, request.stop_sequences ?? []);
  const left = Math.max(0, request.max_tokens - thinkingTokens);
  const said = takeTokens(beforeStop, left, tokenizer);
  const callTokens = calls.reduce((sum, { input, name }) => {
    return sum + tokenizer.count(name) + tokenizer.count(JSON.stringify(input));
  }, 0);
  // Calls that do not fit whole are left out: half of an input is of no use to anybody.
  const isCut = said.isCut || said.tokens + callTokens > left;
  const isStopped = !said.isCut && stopSequence !== null;
  const made = isCut || isStopped ? [] : calls;
  const text = preamble + said.text;
  const total = thinkingTokens + tokenizer.count(preamble) + said.tokens + (made.length > 0 ? callTokens : 0);
  return {
    content: [...thoughts, ...(text === '' ? [] : [{ type: 'text' as const, text }]), ...made.map(callBlock)],
    output: { total, thinking: thinking === undefined ? undefined : thinkingTokens },
    stopReason: stopReasonOf({ isCut, isStopped, isCalling: made.length > 0 }),
    stopSequence: isStopped ? stopSequence : null,
  };
}

function stopReasonOf(end: {
  isCut: boolean;
  isStopped: boolean;
  isCalling: boolean;
}): PlannedContent['stopReason'] {
  if (end.isStopped) return 'stop_sequence';
  if (end.isCut) return 'max_tokens';
  return end.isCalling ? 'tool_use' : 'end_turn';
}

function thoughtBlock(thinking: string, request: MessagesRequest, fault: Fault): AnswerBlock {
  if (fault.redacted_thinking) return { type: 'redacted_thinking', data: sealThinking(thinking) };
  const { thinking: config } = request;
  const isShown = !(config && 'display' in config && config.display === 'omitted');
  // The signature covers exactly what the client gets and sends back.
  const shown = isShown ? thinking : '';
  return { type: 'thinking', thinking: shown, signature: signThinking(shown) };
}

/** Calls that were forced come without a word, https://docs.claude.com/en/docs/agents-and-tools/tool-use. */
function callText({ tool_choice: choice }: MessagesRequest, calls: readonly PlannedCall[]): string {
  if (choice?.type === 'any' || choice?.type === 'tool') return '';
  return `I'll use ${calls.map(({ name }) => name).join(' and ')} for that.`;
}

function callBlock({ input, name }: PlannedCall): AnswerBlock {
  const id = `toolu_${randomBytes(12).toString('hex')}`;
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } };
}

/** Cuts a text before the first of the sequences that occurs in it. */
function untilStop(
  text: string,
  sequences: readonly string[],
): { text: string; stopSequence: string | null } {
  const found = sequences
    .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
    .filter(({ at }) => at !== -1)
    .sort((left, right) => left.at - right.at)[0];
  if (found === undefined) return { text, stopSequence: null };
  return { text: text.slice(0, found.at), stopSequence: found.sequence };
}
