import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { JsonTranslator } from '../../interfaces/response-translators.ts';
import { writeExactJson } from '../../json/exact-json.ts';
import { type JsonObject, textOr } from '../../json/json-object.ts';
import { CLAUDE_FORMAT } from '../../translation/reasoning-format.ts';
import { buildChatCompletion, buildChatMessage } from '../shared/build-chat-completion.ts';
import { MAX_PARTS } from '../shared/max-parts.ts';
import { isWholeAnthropicUsage, laterAnthropicUsage, reportAnthropicUsage } from './anthropic-usage.ts';
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
 * Skips blocks that Chat Completions lacks, which only callers of Messages can request: server tools,
 * compaction, fallbacks. @param format of the signatures of thinking
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
      const choice = {
        message: messageOf(answer, format),
        finish_reason: mapAnthropicStopReason(answer.stop_reason, answer.content.some(isCall)),
      };
      const converted = isWholeAnthropicUsage(usage) ? convertAnthropicUsage(usage) : undefined;
      return caller.completion(buildChatCompletion(answer.id, modelId, choice, converted));
    },
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
        text += textOr(block.text);
        if (Array.isArray(block.citations)) {
          annotations.push(...convertAnthropicCitations(block.citations, from, text.length));
        }
        break;
      }
      case 'thinking': {
        const thought = textOr(block.thinking);
        reasoning += thought;
        const place = { format, index: details.length };
        details.push(thinkingDetail(place, { text: thought, signature: textOr(block.signature) }));
        break;
      }
      case 'redacted_thinking':
        details.push(redactedDetail({ format, index: details.length }, textOr(block.data)));
        break;
    }
  }
  const calls = content.filter(isCall).map(callOf);
  const refusal = stop_reason === 'refusal' ? refusalIn(stop_details) : undefined;
  return buildChatMessage({ text, refusal, reasoning, details, calls, annotations });
}

function isCall({ type }: JsonObject): boolean {
  return type === 'tool_use';
}

function callOf({ id, input, name }: JsonObject): JsonObject {
  return { id, type: 'function', function: { name, arguments: writeExactJson(input ?? {}) } };
}
