import { randomUUID } from 'node:crypto';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { JsonTranslator } from '../../interfaces/response-translators.ts';
import { writeExactJson } from '../../json/exact-json.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { CLAUDE_FORMAT } from '../../translation/reasoning-format.ts';
import type { ChatResponse } from '../../usage/parse-chat-response.ts';
import { MAX_PARTS } from '../shared/max-parts.ts';
import {
  type AnthropicUsage,
  isWholeAnthropicUsage,
  laterAnthropicUsage,
  reportAnthropicUsage,
} from './anthropic-usage.ts';
import {
  convertAnthropicCitations,
  convertAnthropicUsage,
  mapAnthropicStopReason,
  redactedDetail,
  refusalIn,
  thinkingDetail,
} from './map-anthropic-output.ts';
import { requireAnthropicMessage } from './passthrough-anthropic-message.ts';

/**
 * A whole answer of Messages, told to a caller in the shape of Chat Completions. What Chat Completions has no
 * place for is left out: blocks of the provider's own tools, of compaction and of a change of models. No
 * caller of Chat Completions can ask for these.
 * @param format whose signatures its thoughts have
 */
export function convertAnthropicMessageToChat(
  caller: ChatCaller,
  modelId: string,
  format: string = CLAUDE_FORMAT,
): JsonTranslator {
  return {
    whole: (value) => {
      const answer = requireAnthropicMessage(value);
      if (answer.content.length > MAX_PARTS) throw unexpectedJson(new Error('it has too many blocks'));
      const usage = laterAnthropicUsage(undefined, answer.usage);
      reportAnthropicUsage(caller, usage);
      return caller.completion(completionOf(answer, usage, { format, modelId }));
    },
  };
}

function completionOf(
  answer: JsonObject & { content: JsonObject[] },
  usage: AnthropicUsage | undefined,
  { format, modelId }: { format: string; modelId: string },
): ChatResponse {
  const choice = {
    index: 0,
    message: messageOf(answer, format),
    finish_reason: mapAnthropicStopReason(answer.stop_reason, answer.content.some(isCall)),
  };
  return {
    id: typeof answer.id === 'string' ? answer.id : `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1_000),
    model: modelId,
    choices: [choice],
    ...(isWholeAnthropicUsage(usage) ? { usage: convertAnthropicUsage(usage) } : {}),
  };
}

function messageOf(
  { content, stop_details, stop_reason }: JsonObject & { content: JsonObject[] },
  format: string,
): JsonObject {
  let text = '';
  let reasoning = '';
  const details: JsonObject[] = [];
  const annotations: JsonObject[] = [];
  for (const block of content) {
    switch (block.type) {
      case 'text': {
        const from = text.length;
        text += stringIn(block.text);
        if (Array.isArray(block.citations)) {
          annotations.push(...convertAnthropicCitations(block.citations, from, text.length));
        }
        break;
      }
      case 'thinking': {
        const thought = stringIn(block.thinking);
        reasoning += thought;
        const place = { format, index: details.length };
        details.push(thinkingDetail(place, { text: thought, signature: stringIn(block.signature) }));
        break;
      }
      case 'redacted_thinking':
        details.push(redactedDetail({ format, index: details.length }, stringIn(block.data)));
        break;
    }
  }
  const calls = content.filter(isCall).map(callOf);
  const refusal = stop_reason === 'refusal' ? refusalIn(stop_details) : undefined;
  const isSilent = text === '' && (calls.length > 0 || refusal !== undefined);
  return {
    role: 'assistant',
    content: isSilent ? null : text,
    refusal: refusal ?? null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(annotations.length === 0 ? {} : { annotations }),
  };
}

function isCall({ type }: JsonObject): boolean {
  return type === 'tool_use';
}

function callOf({ id, input, name }: JsonObject): JsonObject {
  return { id, type: 'function', function: { name, arguments: writeExactJson(input ?? {}) } };
}

function stringIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
