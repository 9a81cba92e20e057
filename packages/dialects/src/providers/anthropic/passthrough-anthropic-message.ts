import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { MessagesCaller } from '../../interfaces/chat-caller.ts';
import type { JsonTranslator } from '../../interfaces/response-translators.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { renameModelInResponse } from '../../json/rename-model-in-response.ts';
import { isChargedCall } from './anthropic-charged-calls.ts';
import { laterAnthropicUsage, reportAnthropicUsage } from './anthropic-usage.ts';

/** No model writes more. Above, the length is counted instead of the text. */
const MAX_CONTENT_BYTES = 4 * 1024 * 1024;

/** Passes a whole response unchanged, except for the model id. */
export function anthropicPassthroughMessage(caller: MessagesCaller, modelId: string): JsonTranslator {
  const count = (usage: unknown, toolCalls: number) =>
    reportAnthropicUsage(caller, laterAnthropicUsage(undefined, usage), { toolCalls });
  return {
    whole: (value, text) => {
      const answer = requireAnthropicMessage(value);
      const { content, usage } = answer;
      count(usage, content.filter(isChargedCall).length);
      return caller.passMessage(renameModelInResponse(text, answer, modelId), content);
    },
    outline: { within: 'content', depth: 3 },
    large: (answer) => {
      const content = answer.member('content');
      if (answer.small('type') !== 'message' || content?.kind !== 'array') throw notMessage();
      const blocks = content.children;
      if (!blocks.every(({ kind }) => kind === 'object')) throw notMessage();
      const chargedCalls = blocks.filter(({ children }) =>
        isChargedCall({ type: answer.small('type', children), name: answer.small('name', children) }),
      );
      count(answer.small('usage'), chargedCalls.length);
      const pieces = answer.edit({ model: JSON.stringify(modelId) });
      const bytes = content.end - content.valueStart;
      return caller.passLarge(pieces, bytes > MAX_CONTENT_BYTES ? bytes : answer.value(content));
    },
  };
}

export function requireAnthropicMessage(value: unknown): JsonObject & { content: JsonObject[] } {
  if (isMessage(value)) return value;
  throw notMessage();
}

function isMessage(value: unknown): value is JsonObject & { content: JsonObject[] } {
  return (
    isObject(value) &&
    value.type === 'message' &&
    Array.isArray(value.content) &&
    value.content.every(isObject)
  );
}

function notMessage(): Error {
  return unexpectedJson(new Error('it is no message'));
}
