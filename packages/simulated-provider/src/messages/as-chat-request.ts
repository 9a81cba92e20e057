import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import type { ContentBlock, ToolResultBlock } from './content-block.ts';
import type { MessagesRequest, RequestMessage } from './messages-request.ts';

/**
 * The same conversation as a request for a chat completion, so that both APIs give the same answers. What
 * answers do not depend on is left out.
 */
export function asChatRequest(request: MessagesRequest): ChatRequest {
  const { messages, model, output_config, system, tool_choice: choice, tools } = request;
  const instructions: ChatMessage[] = system?.length ? [{ role: 'system', content: textOf(system) }] : [];
  const isParallel =
    choice === null || choice === undefined || choice.type === 'none' || !choice.disable_parallel_tool_use;
  const schema = output_config?.format?.schema;
  return {
    model,
    messages: [...instructions, ...messages.flatMap(chatMessages)],
    tools: (tools ?? []).flatMap((tool) =>
      'input_schema' in tool && typeof tool.name === 'string'
        ? [{ type: 'function', function: { name: tool.name, parameters: tool.input_schema } }]
        : [],
    ),
    tool_choice: chatToolChoice(choice),
    parallel_tool_calls: isParallel,
    ...(schema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }),
  };
}

function chatToolChoice(choice: MessagesRequest['tool_choice']): ChatRequest['tool_choice'] {
  if (choice === null || choice === undefined) return undefined;
  if (choice.type === 'tool') return { type: 'function', function: { name: choice.name } };
  return choice.type === 'any' ? 'required' : choice.type;
}

function chatMessages({ content, role }: RequestMessage): ChatMessage[] {
  const text = textOf(content);
  if (role === 'system') return [{ role, content: text }];
  if (role === 'assistant') {
    const calls = content.flatMap((block) => {
      if (block.type !== 'tool_use') return [];
      const { id, input, name } = block;
      return [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }];
    });
    return [{ role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
  }
  const results: ChatMessage[] = content
    .filter((block): block is ToolResultBlock => block.type === 'tool_result')
    .map(({ content: result, tool_use_id: id }) => {
      return { role: 'tool', tool_call_id: id, content: textOf(result ?? []) };
    });
  return text === '' && results.length > 0 ? results : [...results, { role: 'user', content: text }];
}

function textOf(blocks: readonly (ContentBlock | { type: string })[]): string {
  return blocks.flatMap((block) => (block.type === 'text' && 'text' in block ? block.text : [])).join('\n');
}
