/** Names of Chat Completions fields (without numbers) → names that callers of Responses know. */
const NAMES = new Map([
  ['max_completion_tokens', 'max_output_tokens'],
  ['messages', 'input'],
  ['messages[].reasoning', 'input[reasoning]'],
  ['messages[].reasoning_content', 'input[reasoning]'],
  ['messages[].reasoning_details', 'input[reasoning].encrypted_content'],
  ['messages[].tool_calls[].extra_content', 'input[reasoning].encrypted_content'],
  ['messages[].content[].image_url.detail', 'content[input_image].detail'],
  ['reasoning_effort', 'reasoning.effort'],
  ['response_format', 'text.format'],
  ['response_format.json_schema', 'text.format'],
  ['response_format.json_schema.description', 'text.format.description'],
  ['response_format.json_schema.name', 'text.format.name'],
  ['response_format.json_schema.schema', 'text.format.schema'],
  ['response_format.type', 'text.format.type'],
  ['tools[].function.strict', 'tools[function].strict'],
  ['verbosity', 'text.verbosity'],
]);

/** Names of members of items, parts and tools. */
const MEMBERS = new Map([
  ['file.file_data', 'file_data'],
  ['file.filename', 'filename'],
  ['function.arguments', 'arguments'],
  ['function.description', 'description'],
  ['function.name', 'name'],
  ['function.parameters', 'parameters'],
  ['function.strict', 'strict'],
  ['id', 'call_id'],
  ['image_url.url', 'image_url'],
  ['input_audio', 'input_audio'],
  ['tool_call_id', 'call_id'],
  ['type', 'type'],
]);

/** Converts a path of the translation to the caller's, as far as known. @param from the caller's object */
export function callersPath(path: string, from: { origin: string; rest: string } | undefined): string {
  if (from === undefined) return NAMES.get(path) ?? path;
  const member = MEMBERS.get(from.rest);
  return member === undefined ? from.origin : `${from.origin}.${member}`;
}
