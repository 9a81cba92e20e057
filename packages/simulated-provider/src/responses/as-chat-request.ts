import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import type { ContentPart } from './content-part.ts';
import type { InputItem } from './input-item.ts';
import { type OfferedTool, SEARCH_NAME } from './offered-tools.ts';
import type { ResponsesRequest } from './responses-request.ts';
import { isSearch } from './tool.ts';

/**
 * The same conversation as a request for a chat completion, so that both APIs give the same answers. What
 * answers do not depend on is left out.
 * @param context all items, those of earlier responses included
 */
export function asChatRequest(
  request: ResponsesRequest,
  context: readonly InputItem[],
  tools: readonly OfferedTool[],
): ChatRequest {
  const { instructions, model, parallel_tool_calls } = request;
  const system: ChatMessage[] = instructions ? [{ role: 'system', content: instructions }] : [];
  return {
    model,
    messages: [...system, ...chatMessages(context)],
    tools: tools.map(({ name, parameters }) => ({ type: 'function', function: { name, parameters } })),
    tool_choice: chatToolChoice(request.tool_choice),
    parallel_tool_calls: parallel_tool_calls ?? true,
    ...responseFormat(request),
  };
}

function chatToolChoice(choice: ResponsesRequest['tool_choice']): ChatRequest['tool_choice'] {
  if (typeof choice !== 'object' || choice === null) return choice;
  if (choice.type === 'allowed_tools') return choice.mode === 'required' ? 'required' : 'auto';
  if ('name' in choice && typeof choice.name === 'string') {
    return { type: 'function', function: { name: choice.name } };
  }
  return isSearch(choice) ? { type: 'function', function: { name: SEARCH_NAME } } : 'auto';
}

function responseFormat({ text }: ResponsesRequest): Pick<ChatRequest, 'response_format'> {
  const format = text?.format;
  if (format?.type === 'json_object') return { response_format: { type: 'json_object' } };
  if (format?.type !== 'json_schema') return {};
  const { name, schema } = format;
  return { response_format: { type: 'json_schema', json_schema: { name, schema } } };
}

/** Merges consecutive texts and calls of an assistant into one message. */
function chatMessages(items: readonly InputItem[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  const turn = (): ChatMessage => {
    const last = messages.at(-1);
    if (last?.role === 'assistant') return last;
    const begun: ChatMessage = { role: 'assistant', content: null };
    messages.push(begun);
    return begun;
  };
  const call = (id: string, name: string, input: string) => {
    const open = turn();
    open.tool_calls = [
      ...(open.tool_calls ?? []),
      { id, type: 'function', function: { name, arguments: input } },
    ];
  };
  for (const item of items) {
    if (item.type === 'message' && item.role === 'assistant') {
      const open = turn();
      open.content = [open.content, chatContent(item.content)]
        .filter((text) => typeof text === 'string')
        .join('\n');
    } else if (item.type === 'message')
      messages.push({ role: item.role, content: chatContent(item.content) });
    else if (item.type === 'function_call') call(item.call_id, item.name, item.arguments);
    else if (item.type === 'custom_tool_call') call(item.call_id, item.name, item.input);
    else if (item.type === 'web_search_call') call(item.id ?? '', SEARCH_NAME, '{}');
    else if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      const content = typeof item.output === 'string' ? item.output : chatContent(item.output);
      messages.push({ role: 'tool', tool_call_id: item.call_id, content });
    }
  }
  return messages;
}

/** A text, or parts where there are pictures. Files are left out: nobody reads them. */
function chatContent(parts: readonly ContentPart[]): NonNullable<ChatMessage['content']> {
  const read = parts.flatMap((part) => {
    if (part.type === 'input_image') return [{ type: 'image_url' }];
    if (part.type === 'refusal') return [{ type: 'text', text: part.refusal }];
    return part.type === 'input_file' ? [] : [{ type: 'text', text: part.text }];
  });
  if (read.some(({ type }) => type === 'image_url')) return read;
  return read.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
}
