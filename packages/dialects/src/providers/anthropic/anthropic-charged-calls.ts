const CODE_TOOLS = /code_execution$/;

/** The usage counts web searches, but only at the end of a response. */
export function isSearch({ name, type }: { name?: unknown; type?: unknown }): boolean {
  return type === 'server_tool_use' && name === 'web_search';
}

/** Returns true for calls that Anthropic charges and its usage does not count. */
export function isChargedCall({ name, type }: { name?: unknown; type?: unknown }): boolean {
  return type === 'server_tool_use' && typeof name === 'string' && CODE_TOOLS.test(name);
}
