import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import type { Content, ContentRequest, Part } from './content-request.ts';

/** Converts to a chat completion, so that all APIs give the same answers. Omits what does not affect them. */
export function convertGeminiToChat(request: ContentRequest, model: string): ChatRequest {
  const { contents, generationConfig, systemInstruction, toolConfig, tools } = request;
  const instructions: ChatMessage[] =
    systemInstruction === undefined ? [] : [{ role: 'system', content: textOf(systemInstruction.parts) }];
  const declared = (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations);
  return {
    model,
    messages: [...instructions, ...contents.flatMap(convertContent)],
    tools: declared.map(({ name, parameters, parametersJsonSchema }) => ({
      type: 'function',
      function: { name, parameters: parametersJsonSchema ?? parameters },
    })),
    tool_choice: convertToolConfig(toolConfig),
    response_format: convertFormat(generationConfig),
  };
}

function convertFormat(config: ContentRequest['generationConfig'] = {}): ChatRequest['response_format'] {
  const { responseJsonSchema: schema, responseMimeType } = config;
  if (schema !== undefined) return { type: 'json_schema', json_schema: { schema } };
  return responseMimeType === 'application/json' ? { type: 'json_object' } : undefined;
}

function convertToolConfig(config: ContentRequest['toolConfig']): ChatRequest['tool_choice'] {
  const { allowedFunctionNames = [], mode } = config?.functionCallingConfig ?? {};
  const [only, ...others] = allowedFunctionNames;
  if (mode === 'ANY' && only !== undefined && others.length === 0) return { function: { name: only } };
  if (mode === 'NONE') return 'none';
  return mode === 'ANY' ? 'required' : 'auto';
}

function convertContent({ parts, role }: Content): ChatMessage[] {
  const text = textOf(parts);
  if (role === 'model') {
    const calls = parts.flatMap(({ functionCall }, index) => {
      if (functionCall === undefined) return [];
      const called = { name: functionCall.name, arguments: JSON.stringify(functionCall.args ?? {}) };
      return [{ id: `call_${index}`, type: 'function', function: called }];
    });
    return [{ role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
  }
  const results = parts.flatMap(({ functionResponse }): ChatMessage[] =>
    functionResponse === undefined
      ? []
      : [{ role: 'tool', content: JSON.stringify(functionResponse.response) }],
  );
  return text === '' && results.length > 0 ? results : [...results, { role: 'user', content: text }];
}

function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap(({ text, thought }) => (text === undefined || thought === true ? [] : text))
    .join('\n');
}
