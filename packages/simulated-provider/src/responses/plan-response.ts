import { randomBytes } from 'node:crypto';
import type { ServedUnits } from '../billing/served-work.ts';
import { cachedTokens } from '../chat/chat-usage.ts';
import { composeThinking, planText } from '../chat/compose-answer.ts';
import type { PlannedCall } from '../chat/marked-calls.ts';
import { type AnswerContext, preambleOf } from '../chat/preamble.ts';
import { callTokens, planToolCalls } from '../chat/tool-calls.ts';
import type { Fault } from '../faults/fault-schema.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import { countTokens, takeTokens } from '../text/tokenizer.ts';
import { convertResponsesToChat } from './convert-responses-to-chat.ts';
import type { InputItem } from './input-item.ts';
import { inputTokens } from './input-tokens.ts';
import { type OfferedTool, offeredTools, SEARCH_NAME } from './offered-tools.ts';
import { callItem, messageItem, type OutputItem, reasoningItem, searchItem } from './output-item.ts';
import { isReasoning, type ResponsesRequest } from './responses-request.ts';

/** A complete answer, which may be streamed or not, now or later. */
export interface PlannedResponse {
  id: string;
  /** Unix seconds. */
  createdAt: number;
  request: ResponsesRequest;
  output: OutputItem[];
  status: 'completed' | 'incomplete' | 'failed';
  /** Why it is incomplete. */
  reason: string | null;
  /** The beginning of the text, sent in one piece. */
  preamble: string;
  usage: object | undefined;
  /** The units to bill. */
  billed: ServedUnits;
  /** The output tokens, whatever the usage says. */
  tokens: number;
}

/** @param items all items of the conversation, those of earlier responses included */
export function planResponse(
  request: ResponsesRequest,
  items: readonly InputItem[],
  context: AnswerContext,
): PlannedResponse {
  const { fault } = context;
  const preamble = preambleOf(context);
  const tools = offeredTools(request, items);
  const chat = convertResponsesToChat(request, items, tools);
  const planned = fault.content === undefined ? planToolCalls(chat, 0) : [];
  const calls = planned.filter(({ name }) => name !== SEARCH_NAME);
  const searches = [...planned.filter(({ name }) => name === SEARCH_NAME), ...simulatedSearches(fault)];
  const whole = calls.length > 0 ? '' : (fault.content ?? planText(chat, 0));

  const limit = request.max_output_tokens ?? undefined;
  const thinking = takeTokens(isReasoning(request) ? composeThinking(chat, planned) : '', limit);
  const left = limit === undefined ? Number.POSITIVE_INFINITY : limit - thinking.tokens;
  const taken = takeTokens(whole, limit === undefined ? undefined : left);
  // Omits calls that do not fit: half an input is useless.
  const isCut = thinking.isCut || taken.isCut || taken.tokens + callTokens(planned) > left;
  const text = preamble + taken.text;
  const end = endOf(isCut, fault);
  const itemStatus = end.status === 'incomplete' ? 'incomplete' : 'completed';
  const ofCalls = isCut ? 0 : callTokens(planned);
  const tokens = thinking.tokens + countTokens(preamble) + taken.tokens + ofCalls;
  const input = { total: inputTokens(chat, items), cached: cachedTokens(chat, context) };
  return {
    id: `resp_${randomBytes(24).toString('hex')}`,
    createdAt: Math.floor(Date.now() / 1000),
    request,
    output: [
      ...(isReasoning(request) ? [reasoningItem(thinking.text, request)] : []),
      ...searches.map((search) => searchItem(search.input, request)),
      ...(text === '' ? [] : [messageItem(text, itemStatus, fault, searches.length > 0)]),
      ...(isCut ? [] : calls).map((call) => callItem(call, toolOf(call, tools))),
    ],
    ...end,
    preamble,
    usage: usageOf(input, tokens, thinking.tokens, fault),
    billed: {
      input: input.total - Math.min(input.cached, input.total),
      cachedInput: Math.min(input.cached, input.total),
      output: tokens + (fault.reasoning_tokens ?? 0),
      webSearches: searches.length,
    },
    tokens,
  };
}

/** Returns the searches that the knob `web_searches` adds. */
function simulatedSearches({ web_searches: count = 0 }: Fault): PlannedCall[] {
  return Array.from({ length: count }, (_, index) => {
    return { name: SEARCH_NAME, input: { query: `search ${index + 1}` } };
  });
}

function endOf(isCut: boolean, { stop_reason }: Fault): Pick<PlannedResponse, 'status' | 'reason'> {
  if (stop_reason === 'failed') return { status: 'failed', reason: null };
  const simulated = stop_reason === 'refusal' ? undefined : stop_reason;
  const reason = simulated ?? (isCut ? 'max_output_tokens' : null);
  return { status: reason === null ? 'completed' : 'incomplete', reason };
}

function toolOf({ name }: PlannedCall, tools: readonly OfferedTool[]): OfferedTool {
  return tools.find((tool) => tool.name === name) ?? { kind: 'function', name, parameters: {} };
}

function usageOf(
  { cached, total }: { total: number; cached: number },
  output: number,
  reasoning: number,
  fault: Fault,
): object | undefined {
  const { reasoning_tokens: further = 0 } = fault;
  const usage = {
    input_tokens: total,
    input_tokens_details: { cached_tokens: Math.min(cached, total), cache_write_tokens: 0 },
    output_tokens: output + further,
    output_tokens_details: { reasoning_tokens: reasoning + further },
    total_tokens: total + output + further,
  };
  return spoilUsage(usage, fault);
}
