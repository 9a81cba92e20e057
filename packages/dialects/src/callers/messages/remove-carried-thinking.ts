import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { TranslatedRequest } from '../../translation/translation.ts';
import { isCarriedState } from '../carried-state.ts';

const THINKING: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);
const IGNORED = 'messages[].content[].thinking';

/**
 * Removes thinking of other providers, which Anthropic did not sign and refuses. If a turn with tool results
 * then begins without thinking, a thinking budget is refused too, so it is ignored by name.
 * Source: "Extended thinking with tool use" in Anthropic's documentation.
 */
export function removeCarriedThinking(request: JsonObject): TranslatedRequest {
  const { context_management: management, messages: given, thinking, ...others } = request;
  if (!Array.isArray(given)) return { request, ignored: [] };
  const stripped = given.map(withoutOthersThinking);
  if (stripped.every((message, index) => message === given[index])) return { request, ignored: [] };
  const messages = withoutEmptied(stripped, given);
  if (!isBudgeted(thinking) || !lacksThinking(messages))
    return { request: { ...request, messages }, ignored: [IGNORED] };
  return {
    request: { ...others, messages, ...managementWithoutThinking(management) },
    ignored: [IGNORED, 'thinking'],
  };
}

function withoutOthersThinking(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message.content)) return message;
  const content = message.content.filter(
    (block) => !(isObject(block) && THINKING.has(block.type) && isNotClaudes(block)),
  );
  return content.length === message.content.length ? message : { ...message, content };
}

function isNotClaudes({ data, signature, type }: JsonObject): boolean {
  return type === 'thinking' ? isCarriedState(signature) || !signature : isCarriedState(data);
}

/** Drops messages that had only thinking, and merges the user messages around them. */
function withoutEmptied(stripped: readonly unknown[], given: readonly unknown[]): unknown[] {
  const isEmptied = (index: number) => stripped[index] !== given[index] && hasNoContent(stripped[index]);
  const messages: unknown[] = [];
  for (const [index, message] of stripped.entries()) {
    if (isEmptied(index)) continue;
    const before = isEmptied(index - 1) ? messages.pop() : undefined;
    if (!isObject(before) || !isObject(message) || before.role !== message.role) {
      messages.push(...(before === undefined ? [] : [before]), message);
    } else messages.push({ ...before, content: [...blocksOf(before), ...blocksOf(message)] });
  }
  return messages;
}

function hasNoContent(message: unknown): boolean {
  return isObject(message) && Array.isArray(message.content) && message.content.length === 0;
}

function blocksOf({ content }: JsonObject): unknown[] {
  if (Array.isArray(content)) return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
}

function isBudgeted(thinking: unknown): boolean {
  return isObject(thinking) && thinking.type === 'enabled';
}

/** Returns true if the model continues its turn after tool results, and the turn began without thinking. */
function lacksThinking(messages: readonly unknown[]): boolean {
  const last = messages.at(-1);
  if (firstType(last) !== 'tool_result') return false;
  return !THINKING.has(firstType(messages.findLast((one) => isObject(one) && one.role === 'assistant')));
}

function firstType(message: unknown): unknown {
  const [block] = isObject(message) && Array.isArray(message.content) ? message.content : [];
  return isObject(block) ? block.type : undefined;
}

/** Removes edits that clear thinking: Anthropic refuses them where thinking is off. */
function managementWithoutThinking(management: unknown): JsonObject {
  if (!isObject(management) || !Array.isArray(management.edits)) {
    return management === undefined ? {} : { context_management: management };
  }
  const edits = management.edits.filter(
    (edit) => !(isObject(edit) && typeof edit.type === 'string' && edit.type.startsWith('clear_thinking')),
  );
  return edits.length === 0 ? {} : { context_management: { ...management, edits } };
}
