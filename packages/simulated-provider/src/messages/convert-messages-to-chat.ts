import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import type { ContentBlock, ToolResultBlock } from './content-block.ts';
import type { MessagesRequest, RequestMessage } from './messages-request.ts';

/** Converts to a chat completion, so that both APIs answer alike. Omits what does not affect answers. */
export function convertMessagesToChat(request: MessagesRequest): ChatRequest {
  const { messages, model, output_config, system, tool_choice: choice, tools } = request;
  const instructions: ChatMessage[] = system?.length ? [{ role: 'system', content: textOf(system) }] : [];
  const schema = output_config?.format?.schema;
  return {
    model,
    messages: [...instructions, ...messages.flatMap(convertMessage)],
    tools: (tools ?? []).flatMap((offered) =>
      'input_schema' in offered && typeof offered.name === 'string'
        ? [{ type: 'function', function: { name: offered.name, parameters: offered.input_schema } }]
        : [],
    ),
    tool_choice: convertToolChoice(choice),
    parallel_tool_calls: !(
      choice &&
      'disable_parallel_tool_use' in choice &&
      choice.disable_parallel_tool_use
    ),
    response_format: schema && { type: 'json_schema', json_schema: { schema } },
  };
}

function convertToolChoice(choice: MessagesRequest['tool_choice']): ChatRequest['tool_choice'] {
  if (!choice) return undefined;
  if (choice.type === 'tool') return { function: { name: choice.name } };
  return choice.type === 'any' ? 'required' : choice.type;
}

function convertMessage({ content, role }: RequestMessage): ChatMessage[] {
  const words = textOf(content);
  if (role === 'system') return [{ role, content: words }];
  if (role === 'assistant') {
    const calls = content.flatMap((block) => {
      if (block.type !== 'tool_use') return [];
      const { id, input, name } = block;
      return [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }];
    });
    return [{ role: 'assistant', content: words, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
  }
  const results = content
    .filter((block): block is ToolResultBlock => block.type === 'tool_result')
    .map(({ content: result, tool_use_id: id }): ChatMessage => {
      return { role: 'tool', tool_call_id: id, content: textOf(result ?? []) };
    });
  return words === '' && results.length > 0 ? results : [...results, { role: 'user', content: words }];
}

function textOf(blocks: readonly (ContentBlock | { type: string })[]): string {
  return blocks.flatMap((block) => (block.type === 'text' && 'text' in block ? block.text : [])).join('\n');
}
