import { isMembers, type Members } from './members.ts';

/** Members of Messages that Anthropic's own API accepts, and that Bedrock and Vertex AI refuse. */
export const OWN_API_TOOL_MEMBERS = ['eager_input_streaming', 'input_examples'] as const;
export const OWN_API_REQUEST_MEMBERS = ['cache_control', 'diagnostics'] as const;

/**
 * Returns true if a request has a member that Bedrock and Vertex AI refuse: "Extra inputs are not permitted".
 * Sources: anthropics/claude-code#32820, anthropics/claude-agent-sdk-python#694, BerriAI/litellm#26320.
 */
export function hasOwnApiMembers(request: Members): boolean {
  const { messages, system, tools } = request;
  return (
    OWN_API_REQUEST_MEMBERS.some((name) => request[name] !== undefined) ||
    listOf(tools).some((tool) => OWN_API_TOOL_MEMBERS.some((name) => tool[name] !== undefined)) ||
    [tools, system, ...listOf(messages).map(({ content }) => content)].some((list) =>
      listOf(list).some(hasScope),
    )
  );
}

/** Returns true if tools are loaded only when the model searches for them. */
export function defersTools({ tools }: Members): boolean {
  return listOf(tools).some((tool) => tool.defer_loading === true);
}

/** Finds `cache_control.scope`, a beta of Anthropic's own API. */
function hasScope({ cache_control: mark, content }: Members): boolean {
  if (isMembers(mark) && mark.scope !== undefined) return true;
  return listOf(content).some(hasScope);
}

function listOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter(isMembers) : [];
}
