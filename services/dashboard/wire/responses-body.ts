import { functionOf } from './function-tool.ts';
import type { PlaygroundChatRequest } from './playground.ts';

type Message = PlaygroundChatRequest['messages'][number];

/** Builds the body of POST /v1/responses. The conversation is sent each time, so nothing is stored. */
export function responsesBody(chat: PlaygroundChatRequest): Readonly<Record<string, unknown>> {
  const { model, messages, maxTokens, temperature, tools } = chat;
  const system = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  return {
    model,
    ...(system.length > 0 && { instructions: system.join('\n\n') }),
    input: messages.flatMap(inputItems),
    ...(tools !== undefined && { tools: tools.map(convertTool) }),
    stream: true,
    store: false,
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function inputItems(message: Message): object[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return [{ role: 'user', content: convertContent(message.content) }];
    case 'assistant': {
      const { content, tool_calls: calls = [] } = message;
      return [
        ...(content ? [{ role: 'assistant', content }] : []),
        ...calls.map(({ id, function: called }) => ({ type: 'function_call', call_id: id, ...called })),
      ];
    }
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.tool_call_id, output: message.content }];
  }
}

function convertContent(content: Extract<Message, { role: 'user' }>['content']): string | object[] {
  if (typeof content === 'string') return content;
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'input_text', text: part.text }
      : { type: 'input_image', image_url: part.image_url.url },
  );
}

function convertTool(tool: Record<string, unknown>): object {
  const called = functionOf(tool);
  // Without it, the API would be strict, as Chat Completions is not.
  return called === undefined ? tool : { type: 'function', strict: false, ...called };
}
