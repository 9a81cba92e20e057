import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import type { Content, ContentRequest, Part } from './content-request.ts';

/**
 * The same conversation as a request for a chat completion, so that all APIs give the same answers. What
 * answers do not depend on is left out.
 */
export function asChatRequest(request: ContentRequest, model: string): ChatRequest {
  const { contents, generationConfig, systemInstruction, toolConfig, tools } = request;
  const instructions: ChatMessage[] =
    systemInstruction === undefined ? [] : [{ role: 'system', content: textOf(systemInstruction.parts) }];
  const declared = (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations);
  const { allowedFunctionNames, mode } = toolConfig?.functionCallingConfig ?? {};
  const schema = generationConfig?.responseJsonSchema;
  return {
    model,
    messages: [...instructions, ...contents.flatMap(chatMessages)],
    tools: declared.map(({ name, parameters, parametersJsonSchema }) => ({
      type: 'function',
      function: { name, parameters: parametersJsonSchema ?? parameters },
    })),
    tool_choice: toolChoice(mode, allowedFunctionNames),
    ...(schema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }),
    ...(schema === undefined && generationConfig?.responseMimeType === 'application/json'
      ? { response_format: { type: 'json_object' } }
      : {}),
  };
}

function toolChoice(
  mode: string | undefined,
  names: readonly string[] | undefined,
): ChatRequest['tool_choice'] {
  const [only, ...others] = names ?? [];
  if (mode === 'ANY' && only !== undefined && others.length === 0)
    return { type: 'function', function: { name: only } };
  if (mode === 'NONE') return 'none';
  return mode === 'ANY' ? 'required' : 'auto';
}

function chatMessages({ parts, role }: Content): ChatMessage[] {
  const text = textOf(parts);
  if (role === 'model') {
    const calls = parts.flatMap(({ functionCall }, index) => {
      if (functionCall === undefined) return [];
      const { args, name } = functionCall;
      return [
        { id: `call_${index}`, type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) } },
      ];
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
