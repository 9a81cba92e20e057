interface FunctionTool {
  name: unknown;
  description?: unknown;
  parameters?: unknown;
  strict?: unknown;
}

/** Returns the function of a tool of Chat Completions; undefined: it is another kind of tool. */
export function functionOf({ type, function: called }: Record<string, unknown>): FunctionTool | undefined {
  const isFunction = type === 'function' && typeof called === 'object' && called !== null && 'name' in called;
  return isFunction ? called : undefined;
}
