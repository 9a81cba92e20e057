import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../json/json-object.ts';
import type { ChatResponse } from '../../usage/parse-chat-response.ts';

/** The output of a model, by the members of a message of Chat Completions. */
export interface ChatOutput {
  text: string;
  refusal?: string | undefined;
  reasoning?: string;
  details?: readonly unknown[];
  images?: readonly unknown[];
  calls?: readonly unknown[];
  annotations?: readonly unknown[];
}

export function buildChatMessage(output: ChatOutput): JsonObject {
  const { annotations = [], calls = [], details = [], images = [], reasoning = '', refusal, text } = output;
  const isSilent = text === '' && (calls.length > 0 || refusal !== undefined);
  return {
    role: 'assistant',
    content: isSilent ? null : text,
    refusal: refusal ?? null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(images.length === 0 ? {} : { images }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(annotations.length === 0 ? {} : { annotations }),
  };
}

/** @param id the provider's, if it sent one */
export function buildChatCompletion(
  id: unknown,
  modelId: string,
  choice: { message: JsonObject; finish_reason: string },
  usage: object | undefined,
): ChatResponse {
  return {
    ...chatHead(id, modelId, 'chat.completion'),
    choices: [{ index: 0, ...choice }],
    ...(usage === undefined ? {} : { usage }),
  };
}

/** The constant members of a completion and of its chunks. */
export function chatHead(id: unknown, model: string, object: 'chat.completion' | 'chat.completion.chunk') {
  return {
    id: typeof id === 'string' ? id : `chatcmpl-${randomUUID()}`,
    object,
    created: Math.floor(Date.now() / 1_000),
    model,
  };
}
