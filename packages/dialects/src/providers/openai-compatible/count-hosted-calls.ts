import { shellRunner } from '@model-gateway/shared';
import { isObject, type JsonObject } from '../../json/json-object.ts';

/** Calls of tools that the provider runs itself, and charges by the call: no `usage` has them. */
export interface HostedCalls {
  webSearchRequests: number;
  toolCalls: number;
}

export const NO_CALLS: HostedCalls = { webSearchRequests: 0, toolCalls: 0 };

const CHARGED: ReadonlySet<unknown> = new Set(['file_search_call', 'code_interpreter_call']);
/** To read a page that a search has found is part of that search (OpenAI's guide to its web search). */
const READS_PAGES: ReadonlySet<unknown> = new Set(['open_page', 'find_in_page', 'find']);

/** @param items of the output: each one, or those that are complete */
export function countHostedCalls(items: readonly unknown[]): HostedCalls {
  const objects = items.filter(isObject);
  return {
    webSearchRequests: objects.filter(isSearch).length,
    toolCalls: objects.filter((item) => CHARGED.has(item.type) || isShellOfProvider(item)).length,
  };
}

/** Events come one by one, and the last one has them all: where one of the two is short, the other counts. */
export function mostCalls(one: HostedCalls, other: HostedCalls): HostedCalls {
  return {
    webSearchRequests: Math.max(one.webSearchRequests, other.webSearchRequests),
    toolCalls: Math.max(one.toolCalls, other.toolCalls),
  };
}

/** More than one answer searches: such a count is not believed. */
const MAX_SEARCHES = 1_000;

/**
 * The provider's own count of searches, where it has one: that is what it charges.
 * Source: `ToolUsage` in the types of OpenAI's client library 7.55.
 */
export function billedCalls({ tool_usage: usage }: JsonObject, calls: HostedCalls): HostedCalls {
  const { web_search: search } = isObject(usage) ? usage : {};
  const { num_requests: count } = isObject(search) ? search : {};
  const isBelievable = typeof count === 'number' && Number.isInteger(count) && count >= 0;
  return isBelievable && count <= MAX_SEARCHES ? { ...calls, webSearchRequests: count } : calls;
}

function isSearch({ action, type }: JsonObject): boolean {
  return type === 'web_search_call' && !(isObject(action) && READS_PAGES.has(action.type));
}

function isShellOfProvider({ environment, type }: JsonObject): boolean {
  return type === 'shell_call' && shellRunner(environment) === 'provider';
}
