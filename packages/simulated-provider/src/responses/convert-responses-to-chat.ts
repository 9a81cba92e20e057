import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import type { ContentPart } from './content-part.ts';
import type { InputItem } from './input-item.ts';
import { type OfferedTool, SEARCH_NAME } from './offered-tools.ts';
import type { ResponsesRequest } from './responses-request.ts';
import { isSearch } from './tool.ts';

/**
 * Converts to a chat completion, so that both APIs give the same answers. Omits what does not affect them.
 * @param context all items, those of earlier responses included
 */
export function convertResponsesToChat(
  request: ResponsesRequest,
  context: readonly InputItem[],
  tools: readonly OfferedTool[],
): ChatRequest {
  const { instructions, model, parallel_tool_calls } = request;
  const system: ChatMessage[] = instructions ? [{ role: 'system', content: instructions }] : [];
  return {
    model,
    messages: [...system, ...convertItems(context)],
    tools: tools.map(({ name, parameters }) => ({ type: 'function', function: { name, parameters } })),
    tool_choice: convertToolChoice(request.tool_choice),
    parallel_tool_calls: parallel_tool_calls ?? true,
    response_format: convertFormat(request),
  };
}

function convertToolChoice(choice: ResponsesRequest['tool_choice']): ChatRequest['tool_choice'] {
  if (typeof choice !== 'object' || choice === null) return choice;
  if (choice.type === 'allowed_tools') return choice.mode === 'required' ? 'required' : 'auto';
  if ('name' in choice && typeof choice.name === 'string') return { function: { name: choice.name } };
  return isSearch(choice) ? { function: { name: SEARCH_NAME } } : 'auto';
}

function convertFormat({ text }: ResponsesRequest): ChatRequest['response_format'] {
  const format = text?.format;
  if (format?.type === 'json_object') return { type: 'json_object' };
  return format?.type === 'json_schema' ? { type: 'json_schema', json_schema: format } : undefined;
}

/** Merges consecutive texts and calls of an assistant into one message. */
function convertItems(items: readonly InputItem[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  const assistantMessage = (): ChatMessage => {
    const last = messages.at(-1);
    if (last?.role === 'assistant') return last;
    const begun: ChatMessage = { role: 'assistant', content: null };
    messages.push(begun);
    return begun;
  };
  const call = (id: string, name: string, input: string) => {
    const open = assistantMessage();
    open.tool_calls = [
      ...(open.tool_calls ?? []),
      { id, type: 'function', function: { name, arguments: input } },
    ];
  };
  for (const item of items) {
    if (item.type === 'message' && item.role === 'assistant') {
      const open = assistantMessage();
      open.content = [open.content, convertParts(item.content)]
        .filter((text) => typeof text === 'string')
        .join('\n');
    } else if (item.type === 'message')
      messages.push({ role: item.role, content: convertParts(item.content) });
    else if (item.type === 'function_call') call(item.call_id, item.name, item.arguments);
    else if (item.type === 'custom_tool_call') call(item.call_id, item.name, item.input);
    else if (item.type === 'web_search_call') call(item.id ?? '', SEARCH_NAME, '{}');
    else if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      const content = typeof item.output === 'string' ? item.output : convertParts(item.output);
      messages.push({ role: 'tool', tool_call_id: item.call_id, content });
    }
  }
  return messages;
}

/** Converts parts to a text, or to parts if there are pictures. Omits files, which nobody reads. */
function convertParts(parts: readonly ContentPart[]): NonNullable<ChatMessage['content']> {
  const read = parts.flatMap((part) => {
    if (part.type === 'input_image') return [{ type: 'image_url' }];
    if (part.type === 'refusal') return [{ type: 'text', text: part.refusal }];
    return part.type === 'input_file' ? [] : [{ type: 'text', text: part.text }];
  });
  if (read.some(({ type }) => type === 'image_url')) return read;
  return read.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
}
