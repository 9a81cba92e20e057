import { isMediaBlock } from '@model-gateway/shared';

/** Texts that a model reads in a Messages request, without media. */
export interface PromptTexts {
  texts: string[];
  /** Number of messages, the system prompt included: each has a frame of tokens. */
  messages: number;
}

/** Members of a block that are not text to the model: types, ids, flags and opaque data. */
const MEMBERS_WITHOUT_TEXT = new Set([
  'type',
  'id',
  'tool_use_id',
  'cache_control',
  'signature',
  'data',
  'is_error',
]);

/** Collects the texts of a request. @param request any JSON; what does not match the API counts as nothing */
export function promptTexts(request: unknown): PromptTexts {
  const { messages, system, tools } = objectOf(request);
  const entries = Array.isArray(messages) ? messages.map(objectOf) : [];
  const texts: string[] = [];
  collect(system, texts);
  const hasSystem = texts.length > 0;
  for (const { content, role } of entries) {
    collect(role, texts);
    collect(content, texts);
  }
  if (Array.isArray(tools)) for (const tool of tools) texts.push(toolText(objectOf(tool)));
  return { texts, messages: entries.length + (hasSystem ? 1 : 0) };
}

/** Serializes a tool: its names and schema are text to the model. */
function toolText({ cache_control: _cached, type: _type, ...tool }: Record<string, unknown>): string {
  return JSON.stringify(tool);
}

/** Nesting is bounded by the JSON scan. */
function collect(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const entry of value) collect(entry, texts);
    return;
  }
  if (isMediaBlock(value)) return;
  for (const [name, member] of Object.entries(value)) {
    // The arguments of a call are JSON to the model, too.
    if (name === 'input') texts.push(JSON.stringify(member));
    else if (!MEMBERS_WITHOUT_TEXT.has(name)) collect(member, texts);
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
