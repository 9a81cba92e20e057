const CODE_TOOLS = /code_execution$/;

/**
 * Returns true if a block of an answer is a search of the web. The usage has it, but only at the end of the
 * answer.
 */
export function isSearch({ name, type }: { name?: unknown; type?: unknown }): boolean {
  return type === 'server_tool_use' && name === 'web_search';
}

/**
 * Returns true if a block of an answer is a call of a tool that Anthropic runs itself and charges by the
 * call; searches are in its usage.
 */
export function isChargedCall({ name, type }: { name?: unknown; type?: unknown }): boolean {
  return type === 'server_tool_use' && typeof name === 'string' && CODE_TOOLS.test(name);
}
