import { randomBytes } from 'node:crypto';
import { composeThinking } from '../chat/compose-thinking.ts';
import { planText } from '../chat/plan-text.ts';
import type { PlannedCall } from '../chat/planned-call.ts';
import { planToolCalls } from '../chat/tool-calls.ts';
import type { Fault } from '../faults/fault-schema.ts';
import { takeTokens } from '../text/take-tokens.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { asChatRequest } from './as-chat-request.ts';
import { callItem, messageItem, reasoningItem, searchItem } from './compose-items.ts';
import type { InputItem } from './input-item.ts';
import { inputTokens } from './input-tokens.ts';
import { type OfferedTool, offeredTools, SEARCH_NAME } from './offered-tools.ts';
import type { ItemStatus, OutputItem } from './output-item.ts';
import { type ResponseUsage, responseUsage } from './response-usage.ts';
import { isReasoning, type ResponsesRequest } from './responses-request.ts';

/** A complete answer; whether it is streamed, and when it is told, is decided later. */
export interface PlannedResponse {
  id: string;
  /** Unix seconds. */
  createdAt: number;
  request: ResponsesRequest;
  output: OutputItem[];
  status: 'completed' | 'incomplete' | 'failed';
  /** Why it is incomplete, where it is. */
  reason: string | null;
  /** How much of the text is sent in one piece: what the knob `echo_credential` asks for. */
  preamble: string;
  usage: ResponseUsage | undefined;
  /** How many tokens were made, whatever the usage says. */
  tokens: number;
}

export interface ResponseOptions {
  fault: Fault;
  credential: string | undefined;
  tokenizer: Tokenizer;
}

/** @param context all items of the conversation, those of earlier responses included */
export function planResponse(
  request: ResponsesRequest,
  context: readonly InputItem[],
  options: ResponseOptions,
): PlannedResponse {
  const { credential, fault, tokenizer } = options;
  const preamble = fault.echo_credential ? `You called me with ${credential ?? 'no credential'}. ` : '';
  const tools = offeredTools(request, context);
  const chat = asChatRequest(request, context, tools);
  const planned = fault.content === undefined ? planToolCalls(chat, 0) : [];
  const calls = planned.filter(({ name }) => name !== SEARCH_NAME);
  const searches = [...planned.filter(({ name }) => name === SEARCH_NAME), ...toldSearches(fault)];
  const whole = calls.length > 0 ? '' : (fault.content ?? planText(chat, 0));

  const limit = request.max_output_tokens ?? undefined;
  const thought = takeTokens(isReasoning(request) ? composeThinking(chat, planned) : '', limit, tokenizer);
  const reasoning = thought.tokens;
  const left = limit === undefined ? undefined : limit - reasoning;
  const said = takeTokens(whole, left, tokenizer);
  const callTokens = planned.reduce((sum, { input, name }) => {
    return sum + tokenizer.count(name) + tokenizer.count(JSON.stringify(input));
  }, 0);
  // Calls that do not fit whole are left out: half of an input is of no use to anybody.
  const isCut = thought.isCut || said.isCut || (left !== undefined && said.tokens + callTokens > left);
  const made = isCut ? [] : calls;
  const text = preamble + said.text;
  const end = endOf(isCut, fault);
  const itemStatus: ItemStatus = end.status === 'incomplete' ? 'incomplete' : 'completed';
  const tokens = reasoning + tokenizer.count(preamble) + said.tokens + (isCut ? 0 : callTokens);
  const counted = { input: inputTokens(chat, context, tokenizer), output: tokens, reasoning };
  return {
    id: `resp_${randomBytes(24).toString('hex')}`,
    createdAt: Math.floor(Date.now() / 1000),
    request,
    output: [
      ...(isReasoning(request) ? [reasoningItem(thought.text, request)] : []),
      ...searches.map((search) => searchItem(search.input, request)),
      ...(text === '' ? [] : [messageItem(text, itemStatus, fault, searches.length > 0)]),
      ...made.map((call) => callItem(call, toolOf(call, tools))),
    ],
    ...end,
    preamble,
    usage: responseUsage(counted, fault),
    tokens,
  };
}

/** The searches that the knob `web_searches` wants to have been made. */
function toldSearches({ web_searches: count = 0 }: Fault): PlannedCall[] {
  return Array.from({ length: count }, (_, index) => {
    return { name: SEARCH_NAME, input: { query: `search ${index + 1}` } };
  });
}

function endOf(isCut: boolean, { stop_reason }: Fault): Pick<PlannedResponse, 'status' | 'reason'> {
  if (stop_reason === 'failed') return { status: 'failed', reason: null };
  const told = stop_reason === 'refusal' ? undefined : stop_reason;
  const reason = told ?? (isCut ? 'max_output_tokens' : null);
  return { status: reason === null ? 'completed' : 'incomplete', reason };
}

function toolOf({ name }: PlannedCall, tools: readonly OfferedTool[]): OfferedTool {
  return tools.find((tool) => tool.name === name) ?? { kind: 'function', name, parameters: {} };
}
