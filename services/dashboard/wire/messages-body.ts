import { functionOf } from './function-tool.ts';
import type { PlaygroundChatRequest } from './playground.ts';

type Message = PlaygroundChatRequest['messages'][number];
type Content = Extract<Message, { role: 'user' }>['content'];

/** The API needs a limit. This is enough for a long answer, and most models allow it. */
const DEFAULT_MAX_TOKENS = 4_096;

/** Builds the body of POST /v1/messages. */
export function messagesBody(chat: PlaygroundChatRequest): Readonly<Record<string, unknown>> {
  const { model, messages, maxTokens = DEFAULT_MAX_TOKENS, temperature, tools } = chat;
  const system = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  return {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system: system.join('\n\n') }),
    messages: convertMessages(messages),
    ...(tools !== undefined && { tools: tools.map(convertTool) }),
    stream: true,
    ...(temperature !== undefined && { temperature }),
  };
}

function convertMessages(messages: readonly Message[]): object[] {
  const converted: object[] = [];
  /** The results of one turn belong into one message. */
  let results: object[] | undefined;
  for (const message of messages) {
    if (message.role === 'system') continue;
    if (message.role !== 'tool') results = undefined;
    if (message.role === 'user') converted.push({ role: 'user', content: convertContent(message.content) });
    else if (message.role === 'assistant') converted.push({ role: 'assistant', content: outputOf(message) });
    else {
      const result = { type: 'tool_result', tool_use_id: message.tool_call_id, content: message.content };
      if (results === undefined) {
        results = [result];
        converted.push({ role: 'user', content: results });
      } else results.push(result);
    }
  }
  return converted;
}

function convertContent(content: Content): string | object[] {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part : imageOf(part.image_url.url)));
}

function imageOf(dataUrl: string): object {
  const [, mediaType = 'image/png', data = ''] = /^data:([^;,]+)[^,]*,(.*)$/s.exec(dataUrl) ?? [];
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

function outputOf({ content, tool_calls: calls = [] }: Extract<Message, { role: 'assistant' }>) {
  if (calls.length === 0) return content ?? '';
  return [
    ...(content ? [{ type: 'text', text: content }] : []),
    ...calls.map(({ id, function: { arguments: args, name } }) => ({
      ...{ type: 'tool_use', id, name, input: parseArguments(args) },
    })),
  ];
}

/** The API has arguments as an object. A model may have written something else. */
function parseArguments(args: string): unknown {
  try {
    const parsed: unknown = JSON.parse(args);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

function convertTool(tool: Record<string, unknown>): object {
  const called = functionOf(tool);
  if (called === undefined) return tool;
  const { description, name, parameters, strict } = called;
  return {
    name,
    ...(description !== undefined && { description }),
    input_schema: parameters ?? { type: 'object', properties: {} },
    ...(strict !== undefined && { strict }),
  };
}
