import type { InputItem } from './input-item.ts';
import type { ResponsesRequest } from './responses-request.ts';
import { isSearch, type Tool } from './tool.ts';

/** A tool that a simulated model can call. */
export interface OfferedTool {
  kind: 'function' | 'custom' | 'search';
  name: string;
  namespace?: string;
  /** The JSON schema of its input. */
  parameters: unknown;
}

/** The name of all versions of the web search. */
export const SEARCH_NAME = 'web_search';
const FREE_TEXT = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
const QUERY = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };

/**
 * Returns the tools that may be called. Searches come last: a required call prefers the caller's own tools.
 * @param context all items, those of earlier responses included
 */
export function offeredTools(
  { tool_choice: choice, tools }: ResponsesRequest,
  context: readonly InputItem[],
): OfferedTool[] {
  const allowed =
    typeof choice === 'object' && choice?.type === 'allowed_tools' && Array.isArray(choice.tools)
      ? choice.tools.map((tool) => (isSearch(tool) ? SEARCH_NAME : tool.name))
      : undefined;
  const added = context.flatMap((item) => (item.type === 'additional_tools' ? item.tools : []));
  const offered = [...(tools ?? []), ...added].flatMap((tool) => toolsIn(tool));
  return [
    ...offered.filter(({ kind }) => kind !== 'search'),
    ...offered.filter(({ kind }) => kind === 'search'),
  ].filter(({ name }) => allowed === undefined || allowed.includes(name));
}

function toolsIn(tool: Tool, namespace?: string): OfferedTool[] {
  const group = namespace === undefined ? {} : { namespace };
  if (tool.type === 'function') {
    return [{ kind: 'function', name: tool.name, parameters: tool.parameters ?? {}, ...group }];
  }
  if (tool.type === 'custom') return [{ kind: 'custom', name: tool.name, parameters: FREE_TEXT, ...group }];
  if (tool.type === 'namespace') return tool.tools.flatMap((inner) => toolsIn(inner, tool.name));
  return isSearch(tool) ? [{ kind: 'search', name: SEARCH_NAME, parameters: QUERY }] : [];
}
