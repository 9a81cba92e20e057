import { OWN_API_REQUEST_MEMBERS, OWN_API_TOOL_MEMBERS } from '@model-gateway/shared';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { TranslatedRequest } from '../../translation/translation.ts';
import { removeCarriedThinking } from './remove-carried-thinking.ts';

/**
 * Removes members of Messages that Bedrock and Vertex AI refuse, and thinking of other providers. The cache
 * mark of the whole request becomes one of its last block, which says the same.
 */
export function removeOwnApiMembers(given: JsonObject): TranslatedRequest {
  const { ignored, request } = removeCarriedThinking(given);
  const removed = new Set(ignored);
  const { cache_control: mark, messages, system, tools } = request;
  const changed: Record<string, unknown> = {
    ...request,
    ...(Array.isArray(messages) ? { messages: withoutScopes(withEndMark(messages, mark), removed) } : {}),
    ...(Array.isArray(system) ? { system: withoutScopes(system, removed) } : {}),
    ...(Array.isArray(tools)
      ? { tools: withoutScopes(tools, removed).map((tool) => ofClouds(tool, removed)) }
      : {}),
  };
  for (const name of OWN_API_REQUEST_MEMBERS) {
    if (changed[name] === undefined) continue;
    delete changed[name];
    removed.add(name);
  }
  return { request: changed, ignored: [...removed] };
}

function ofClouds(tool: unknown, removed: Set<string>): unknown {
  if (!isObject(tool)) return tool;
  const kept = { ...tool };
  for (const name of OWN_API_TOOL_MEMBERS) {
    if (kept[name] === undefined) continue;
    delete kept[name];
    removed.add(`tools[].${name}`);
  }
  return kept;
}

/** @param list of messages, blocks or tools */
function withoutScopes(list: readonly unknown[], removed: Set<string>): unknown[] {
  return list.map((one) => {
    if (!isObject(one)) return one;
    const { cache_control: mark, content } = one;
    const inner = Array.isArray(content) ? { content: withoutScopes(content, removed) } : {};
    if (!isObject(mark) || mark.scope === undefined) return { ...one, ...inner };
    removed.add('cache_control.scope');
    const { scope: _scope, ...rest } = mark;
    return { ...one, ...inner, cache_control: rest };
  });
}

function withEndMark(messages: unknown[], mark: unknown): unknown[] {
  const last = messages.at(-1);
  if (mark === undefined || mark === null || !isObject(last)) return messages;
  const blocks = typeof last.content === 'string' ? [{ type: 'text', text: last.content }] : last.content;
  const end = Array.isArray(blocks) ? blocks.at(-1) : undefined;
  if (!Array.isArray(blocks) || !isObject(end) || end.cache_control !== undefined) return messages;
  const content = [...blocks.slice(0, -1), { ...end, cache_control: mark }];
  return [...messages.slice(0, -1), { ...last, content }];
}
