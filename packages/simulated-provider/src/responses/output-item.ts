import { randomBytes } from 'node:crypto';
import type { PlannedCall } from '../chat/marked-calls.ts';
import type { Fault } from '../faults/fault-schema.ts';
import { encryptReasoning } from './encrypted-reasoning.ts';
import type { OfferedTool } from './offered-tools.ts';
import type { ResponsesRequest } from './responses-request.ts';

const SOURCE = 'https://example.com/simulated';

/** An output item. Each can come back as input. */
export type OutputItem = ReasoningItem | SearchItem | MessageItem | FunctionCallItem | CustomCallItem;

export type ReasoningItem = ReturnType<typeof reasoningItem>;
export type SearchItem = ReturnType<typeof searchItem>;
export type MessageItem = ReturnType<typeof messageItem>;
export type FunctionCallItem = ReturnType<typeof functionCallItem>;
export type CustomCallItem = ReturnType<typeof customCallItem>;

export function reasoningItem(thinking: string, { include, reasoning }: ResponsesRequest) {
  const id = itemId('rs');
  const isEncrypted = include?.includes('reasoning.encrypted_content') === true;
  return {
    id,
    type: 'reasoning' as const,
    summary: reasoning?.summary ? [{ type: 'summary_text' as const, text: thinking }] : [],
    ...(isEncrypted ? { encrypted_content: encryptReasoning(id, thinking) } : {}),
  };
}

export function searchItem(input: unknown, { include }: ResponsesRequest) {
  const query = textIn(input, 'query');
  const isSourced = include?.includes('web_search_call.action.sources') === true;
  const sources = isSourced ? { sources: [{ type: 'url', url: SOURCE }] } : {};
  return {
    id: itemId('ws'),
    type: 'web_search_call' as const,
    status: 'completed' as const,
    action: { type: 'search', query, queries: [query], ...sources },
  };
}

/** @param isSourced true if the text stems from a search, which it then cites */
export function messageItem(
  text: string,
  status: 'completed' | 'incomplete',
  fault: Fault,
  isSourced: boolean,
) {
  const citation = {
    type: 'url_citation',
    start_index: 0,
    end_index: text.length,
    url: SOURCE,
    title: 'A simulated source',
  };
  const annotations = isSourced ? [citation] : [];
  const part =
    fault.stop_reason === 'refusal'
      ? { type: 'refusal' as const, refusal: text }
      : { type: 'output_text' as const, annotations, logprobs: [], text };
  return { id: itemId('msg'), type: 'message' as const, status, content: [part], role: 'assistant' as const };
}

export function callItem({ input, name }: PlannedCall, { kind, namespace }: OfferedTool) {
  const shared = {
    status: 'completed' as const,
    call_id: `call_${randomBytes(12).toString('hex')}`,
    name,
    ...(namespace === undefined ? {} : { namespace }),
  };
  return kind === 'custom' ? customCallItem(input, shared) : functionCallItem(input, shared);
}

type SharedByCalls = { status: 'completed'; call_id: string; name: string; namespace?: string };

function functionCallItem(input: unknown, shared: SharedByCalls) {
  return { id: itemId('fc'), type: 'function_call' as const, arguments: JSON.stringify(input), ...shared };
}

function customCallItem(input: unknown, shared: SharedByCalls) {
  return { id: itemId('ctc'), type: 'custom_tool_call' as const, input: textIn(input, 'input'), ...shared };
}

export function itemId(prefix: string): string {
  return `${prefix}_${randomBytes(24).toString('hex')}`;
}

/** Returns a text inside an input, or the whole input as JSON. */
function textIn(input: unknown, member: string): string {
  const text: unknown = Object.getOwnPropertyDescriptor(Object(input), member)?.value;
  return typeof text === 'string' ? text : JSON.stringify(input);
}
