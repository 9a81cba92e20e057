import { randomBytes } from 'node:crypto';
import type { PlannedCall } from '../chat/planned-call.ts';
import type { Fault } from '../faults/fault-schema.ts';
import { encryptReasoning } from './encrypted-reasoning.ts';
import type { OfferedTool } from './offered-tools.ts';
import type {
  CustomCallItem,
  FunctionCallItem,
  ItemStatus,
  MessageItem,
  ReasoningItem,
  SearchItem,
} from './output-item.ts';
import type { ResponsesRequest } from './responses-request.ts';

const SOURCE = 'https://example.com/simulated';

export function reasoningItem(thinking: string, { include, reasoning }: ResponsesRequest): ReasoningItem {
  const id = itemId('rs');
  const isEncrypted = include?.includes('reasoning.encrypted_content') === true;
  return {
    id,
    type: 'reasoning',
    summary: reasoning?.summary ? [{ type: 'summary_text', text: thinking }] : [],
    ...(isEncrypted ? { encrypted_content: encryptReasoning(id, thinking) } : {}),
  };
}

export function searchItem(input: unknown, { include }: ResponsesRequest): SearchItem {
  const query = textIn(input, 'query');
  const isSourced = include?.includes('web_search_call.action.sources') === true;
  return {
    id: itemId('ws'),
    type: 'web_search_call',
    status: 'completed',
    action: {
      type: 'search',
      query,
      queries: [query],
      ...(isSourced ? { sources: [{ type: 'url', url: SOURCE }] } : {}),
    },
  };
}

/** @param isSourced true if the text stems from a search, which it then cites */
export function messageItem(text: string, status: ItemStatus, fault: Fault, isSourced: boolean): MessageItem {
  const citation = {
    type: 'url_citation' as const,
    start_index: 0,
    end_index: text.length,
    url: SOURCE,
    title: 'A simulated source',
  };
  const isRefusal = fault.stop_reason === 'refusal';
  return {
    id: itemId('msg'),
    type: 'message',
    status,
    content: [
      isRefusal
        ? { type: 'refusal', refusal: text }
        : { type: 'output_text', annotations: isSourced ? [citation] : [], logprobs: [], text },
    ],
    role: 'assistant',
  };
}

export function callItem({ input, name }: PlannedCall, tool: OfferedTool): FunctionCallItem | CustomCallItem {
  const shared = {
    status: 'completed' as const,
    call_id: `call_${randomBytes(12).toString('hex')}`,
    name,
    ...(tool.namespace === undefined ? {} : { namespace: tool.namespace }),
  };
  if (tool.kind === 'custom') {
    return { id: itemId('ctc'), type: 'custom_tool_call', input: textIn(input, 'input'), ...shared };
  }
  return { id: itemId('fc'), type: 'function_call', arguments: JSON.stringify(input), ...shared };
}

export function itemId(prefix: string): string {
  return `${prefix}_${randomBytes(24).toString('hex')}`;
}

/** A text inside of an input, or all of it where there is none. */
function textIn(input: unknown, member: string): string {
  const text: unknown = Object.getOwnPropertyDescriptor(Object(input), member)?.value;
  return typeof text === 'string' ? text : JSON.stringify(input);
}
