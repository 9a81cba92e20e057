import type { PriceName } from '../billing/units.ts';
import { KnownMembers } from './member-spelling.ts';
import { isMembers, type Members } from './members.ts';
import { MAX_USES, USUAL_USES } from './server-tools.ts';
import { shellRunner } from './shell-runner.ts';
import { type Unpriced, unpricedTier } from './unpriced.ts';

/** Tools in a request of POST /v1/responses. */

/** A tool that a model calls by its name and its caller runs. */
export interface CallableTool {
  /** The input of a custom tool is text; that of a function is JSON. */
  isCustom: boolean;
  name: string;
  namespace: string | undefined;
}

/** More than any model can choose from. */
export const MAX_TOOLS = 1_024;

/** Lists the tools that callers run themselves, also in namespaces, at most `MAX_TOOLS`. */
export function callableTools(tools: readonly unknown[], namespace?: string): CallableTool[] {
  const found: CallableTool[] = [];
  for (const tool of tools) {
    if (!isMembers(tool) || found.length >= MAX_TOOLS) continue;
    const { name, tools: inner, type } = tool;
    if (typeof name !== 'string') continue;
    if (type === 'namespace' && namespace === undefined && Array.isArray(inner))
      found.push(...callableTools(inner, name).slice(0, MAX_TOOLS - found.length));
    else if (type === 'function' || type === 'custom')
      found.push({ isCustom: type === 'custom', name, namespace });
  }
  return found;
}

/** The type of an input item with tools beside those of `tools`. Codex sends all of its tools in one. */
const ADDS_TOOLS = 'additional_tools';

/** Lists all tools that a request offers to the model, in order. */
export function toolsOffered({ input, tools }: Members): readonly unknown[] {
  const listed: readonly unknown[] = Array.isArray(tools) ? tools : [];
  if (!Array.isArray(input)) return listed;
  const added = input.flatMap((item) =>
    isMembers(item) && item.type === ADDS_TOOLS && Array.isArray(item.tools) ? item.tools : [],
  );
  return added.length === 0 ? listed : [...listed, ...added];
}

const TOOL_MEMBERS = new KnownMembers(['type', 'tools', 'environment']);
const leaveOut = { advice: 'Leave it out.' };

/** Tools that the provider runs and charges by the call. */
const SEARCHES = /^web_search(?:_|$)/;
const CHARGED = /^(?:file_search|code_interpreter|shell)$/;
const COSTS_TOKENS: ReadonlySet<string> = new Set([
  'function',
  'custom',
  'namespace',
  'local_shell',
  'apply_patch',
  'computer',
  'computer_use',
  'computer_use_preview',
  'mcp',
  'tool_search',
]);

/**
 * The price that a tool needs; `none`: the catalog has no such price; undefined: the tool costs only tokens.
 */
function priceNeeded({ environment, type }: Members): PriceName | 'none' | undefined {
  if (type === undefined) return undefined;
  if (typeof type !== 'string') return 'none';
  if (COSTS_TOKENS.has(type)) return undefined;
  if (SEARCHES.test(type)) return 'web_search_request_usd';
  if (type === 'shell' && shellRunner(environment) === 'caller') return undefined;
  return CHARGED.test(type) ? 'tool_call_usd' : 'none';
}

/** A tool and its path in the request. */
interface PlacedTool {
  tool: Members;
  param: string;
}

type ToolRequest = Readonly<Record<'input' | 'tools', unknown>>;

/** Lists all tools of a request, also those in groups and in items of its input. */
export function toolsIn({ input, tools }: ToolRequest): PlacedTool[] {
  const found: PlacedTool[] = [];
  addTools(found, tools, 'tools');
  if (!Array.isArray(input)) return found;
  for (const [index, item] of input.entries())
    if (isMembers(item) && Array.isArray(item.tools)) addTools(found, item.tools, `input[${index}].tools`);
  return found;
}

function addTools(found: PlacedTool[], tools: unknown, at: string): void {
  if (!Array.isArray(tools)) return;
  for (const [index, tool] of tools.entries()) {
    if (!isMembers(tool)) continue;
    const param = `${at}[${index}]`;
    found.push({ tool, param });
    addTools(found, tool.tools, `${param}.tools`);
  }
}

/**
 * Returns how often the provider can run its own tools. `serverCalls` are calls of the caller's MCP servers,
 * which are not charged by the call, but whose results the model reads.
 * @param maxCalls the limit for all tools together
 */
export function usesOfTools(tools: readonly PlacedTool[], maxCalls?: number) {
  const usual = Math.min(maxCalls ?? USUAL_USES, MAX_USES);
  const uses = (name: PriceName) => (tools.some(({ tool }) => priceNeeded(tool) === name) ? usual : 0);
  const servers = tools.filter(({ tool }) => tool.type === 'mcp').length;
  return {
    webSearches: uses('web_search_request_usd'),
    toolCalls: uses('tool_call_usd'),
    serverCalls: Math.min(servers * USUAL_USES, maxCalls ?? MAX_USES, MAX_USES),
  };
}

/** As `unpricedOfChat`, for Responses. @param tools all tools of the request */
export function unpricedOfResponses(request: Members, tools: readonly PlacedTool[]): readonly Unpriced[] {
  const { multi_agent, prompt, service_tier } = request;
  const found: Unpriced[] = [];
  const tier =
    service_tier === undefined || service_tier === null ? undefined : unpricedTier(service_tier, 'default');
  if (tier !== undefined) found.push({ param: 'service_tier', ...tier });
  // Each agent has a context and an output of its own, which nothing in the request bounds.
  if (isMembers(multi_agent) && multi_agent.enabled !== false)
    found.push({ param: 'multi_agent', advice: 'Leave it out, or send {"enabled":false}.' });
  // A prompt stored at the provider can name tools that cost something.
  if (prompt !== undefined && prompt !== null) found.push({ param: 'prompt', ...leaveOut });
  for (const { param: at, tool } of tools) {
    const misspelt = misspeltIn(tool);
    if (misspelt !== undefined) found.push({ param: `${at}.${misspelt}`, advice: `Spell it "${misspelt}".` });
    const param = `${at}.type`;
    const needs = priceNeeded(tool);
    if (needs === 'none')
      found.push({ param, advice: 'Send tools that you run yourself, such as "function".' });
    else if (needs !== undefined) found.push({ param, ...leaveOut, needs });
  }
  return found;
}

/** Returns a member that some JSON parsers would find in a tool under another spelling. */
function misspeltIn(tool: Members): string | undefined {
  for (const name of Object.keys(tool)) {
    const meant = TOOL_MEMBERS.meantBy(name);
    if (meant !== undefined) return meant;
  }
  return undefined;
}
