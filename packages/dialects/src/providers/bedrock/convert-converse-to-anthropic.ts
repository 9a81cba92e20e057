import { isObject, type JsonObject } from '../../json/json-object.ts';
import { converseTier, convertConverseUsage } from './converse-usage.ts';
import { converseFailure, mapConverseStopReason } from './map-converse-stop-reason.ts';

/** @returns undefined for anything else; `failure`: Bedrock could not parse the output */
export function convertConverseToAnthropic(
  value: unknown,
): { body: JsonObject; failure: string | undefined } | undefined {
  if (!isObject(value) || !isObject(value.output) || !isObject(value.output.message)) return undefined;
  const { content } = value.output.message;
  if (!Array.isArray(content)) return undefined;
  const body = {
    type: 'message',
    content: content.filter(isObject).flatMap(blockOf),
    stop_reason: mapConverseStopReason(value.stopReason),
    usage: { ...convertConverseUsage(value.usage), service_tier: converseTier(value.serviceTier) },
  };
  return { body, failure: converseFailure(value.stopReason) };
}

function blockOf(block: JsonObject): JsonObject[] {
  const { citationsContent, reasoningContent, text, toolUse } = block;
  if (typeof text === 'string') return [{ type: 'text', text }];
  if (isObject(toolUse)) {
    const { input, name, toolUseId: id } = toolUse;
    return [{ type: 'tool_use', id, name, input }];
  }
  if (isObject(reasoningContent)) return reasoning(reasoningContent);
  // Drops the citations, which are of documents in the request.
  if (isObject(citationsContent) && Array.isArray(citationsContent.content))
    return citationsContent.content.filter(isObject).flatMap(blockOf);
  return [];
}

function reasoning({ reasoningText, redactedContent }: JsonObject): JsonObject[] {
  if (typeof redactedContent === 'string') return [{ type: 'redacted_thinking', data: redactedContent }];
  if (!isObject(reasoningText)) return [];
  return [{ type: 'thinking', thinking: reasoningText.text, signature: reasoningText.signature ?? '' }];
}
