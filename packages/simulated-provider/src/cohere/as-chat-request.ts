import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import type { CohereChatRequest, CohereMessage } from './chat-request.ts';

/** The same conversation as a request for a chat completion, so that both APIs give the same answers. */
export function asChatRequest(request: CohereChatRequest): ChatRequest {
  const { max_tokens, messages, model, response_format: format, tool_choice, tools } = request;
  return {
    model,
    messages: messages.map(chatMessage),
    ...(max_tokens === undefined ? {} : { max_tokens }),
    ...(tools === undefined ? {} : { tools }),
    ...(tool_choice === undefined ? {} : { tool_choice: tool_choice === 'NONE' ? 'none' : 'required' }),
    ...(format === undefined ? {} : { response_format: chatFormat(format) }),
  };
}

function chatFormat({
  json_schema: schema,
  type,
}: NonNullable<CohereChatRequest['response_format']>): ChatRequest['response_format'] {
  return schema === undefined ? { type } : { type: 'json_schema', json_schema: { schema } };
}

function chatMessage(message: CohereMessage): ChatMessage {
  const content = textOf(message.content);
  if (message.role !== 'assistant') return { role: message.role, content };
  return {
    role: 'assistant',
    content,
    ...(message.tool_calls === undefined ? {} : { tool_calls: message.tool_calls }),
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part ? [String(part.text)] : [],
    )
    .join('\n');
}
