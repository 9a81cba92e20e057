import { shellRunner } from '@model-gateway/shared';
import { isObject, type JsonObject } from '../../json/json-object.ts';

/** Charged calls of server tools, which no `usage` counts. */
export interface HostedCalls {
  webSearchRequests: number;
  toolCalls: number;
}

export const NO_CALLS: HostedCalls = { webSearchRequests: 0, toolCalls: 0 };

const CHARGED: ReadonlySet<unknown> = new Set(['file_search_call', 'code_interpreter_call']);
/** Reading a found page belongs to its search (OpenAI's guide "Web search"). */
const READS_PAGES: ReadonlySet<unknown> = new Set(['open_page', 'find_in_page', 'find']);

export function countHostedCalls(items: readonly unknown[]): HostedCalls {
  const objects = items.filter(isObject);
  return {
    webSearchRequests: objects.filter(isSearch).length,
    toolCalls: objects.filter((item) => CHARGED.has(item.type) || isShellOfProvider(item)).length,
  };
}

/** Counts from single events and from the final one: either may lack items. */
export function maxCalls(one: HostedCalls, other: HostedCalls): HostedCalls {
  return {
    webSearchRequests: Math.max(one.webSearchRequests, other.webSearchRequests),
    toolCalls: Math.max(one.toolCalls, other.toolCalls),
  };
}

/** Larger counts are absurd. */
const MAX_SEARCHES = 1_000;

/** Prefers the provider's own count of searches. Source: `ToolUsage` in OpenAI's client library 7.55. */
export function billedCalls({ tool_usage: usage }: JsonObject, calls: HostedCalls): HostedCalls {
  const { web_search: search } = isObject(usage) ? usage : {};
  const { num_requests: count } = isObject(search) ? search : {};
  const isCredible = typeof count === 'number' && Number.isInteger(count) && count >= 0;
  return isCredible && count <= MAX_SEARCHES ? { ...calls, webSearchRequests: count } : calls;
}

function isSearch({ action, type }: JsonObject): boolean {
  return type === 'web_search_call' && !(isObject(action) && READS_PAGES.has(action.type));
}

function isShellOfProvider({ environment, type }: JsonObject): boolean {
  return type === 'shell_call' && shellRunner(environment) === 'provider';
}
