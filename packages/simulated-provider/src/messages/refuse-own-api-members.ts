import { refuse } from '../errors/provider-error.ts';

type Members = Readonly<Record<string, unknown>>;

const REFUSED = ['cache_control', 'diagnostics'];
const REFUSED_OF_TOOLS = ['eager_input_streaming', 'input_examples'];
const TOOL_SEARCH = 'tool-search-tool-2025-10-19';

/**
 * Refuses members that only Anthropic's own API has, as Bedrock and Vertex AI do. Sources: quotes in
 * https://github.com/anthropics/claude-agent-sdk-python/issues/694,
 * https://github.com/anthropics/claude-code/issues/32820 and https://github.com/BerriAI/litellm/issues/26320.
 * @throws ProviderError 400
 */
export function refuseOwnApiMembers(body: Members, betas: readonly string[]): void {
  for (const name of REFUSED) if (name in body) refuseExtra(name);
  for (const [index, tool] of membersOf(body.tools).entries()) {
    for (const name of REFUSED_OF_TOOLS) if (name in tool) refuseExtra(`tools.${index}.custom.${name}`);
    if (tool.defer_loading === true && !betas.includes(TOOL_SEARCH))
      refuseExtra(`tools.${index}.custom.defer_loading`);
  }
  const blocks = membersOf(body.messages).flatMap(({ content }) => membersOf(content));
  for (const { cache_control: mark } of [...blocks, ...membersOf(body.system), ...membersOf(body.tools)])
    if ('scope' in Object(mark)) refuseExtra('cache_control.ephemeral.scope');
}

function refuseExtra(path: string): never {
  return refuse(`${path}: Extra inputs are not permitted`);
}

function membersOf(list: unknown): Members[] {
  return Array.isArray(list) ? list.map((one) => ({ ...Object(one) })) : [];
}
