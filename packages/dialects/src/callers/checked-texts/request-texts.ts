import type { ChatApi } from '../../interfaces/chat.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { findTexts, setMember } from './find-texts.ts';
import type { TextPlace } from './text-place.ts';

/** Members of a request that hold the conversation. */
const CONVERSATION: Readonly<Record<ChatApi, readonly string[]>> = {
  'chat-completions': ['messages', 'prediction'],
  messages: ['system', 'messages'],
  responses: ['instructions', 'input', 'prompt'],
};
/** Members whose descriptions and schemas the model reads. */
const DESCRIBED = ['tools', 'functions', 'response_format', 'text', 'output_config'];
/** Members of a tool or format that hold a JSON Schema, a grammar or examples. */
const SCHEMAS: ReadonlySet<string> = new Set([
  'definition',
  'input_examples',
  'input_schema',
  'parameters',
  'schema',
]);
/** Members of a JSON Schema with words of JSON Schema or names. */
const SCHEMA_WORDS: ReadonlySet<string> = new Set(['$ref', '$schema', 'format', 'required', 'type']);
/** Members of a JSON Schema with values, in which these words are ordinary names. */
const SCHEMA_VALUES: ReadonlySet<string> = new Set([
  'const',
  'default',
  'enum',
  'examples',
  'input_examples',
]);

/** Finds the texts of a request: its conversation, and the descriptions and schemas of tools and formats. */
export function requestTexts(api: ChatApi, request: JsonObject): TextPlace[] {
  const places = CONVERSATION[api].flatMap((name) => {
    const value = request[name];
    if (typeof value !== 'string') return findTexts(value, { isRequest: true });
    return value === '' ? [] : [placeOf(request, name, value)];
  });
  for (const name of DESCRIBED) addDescriptions(request[name], 'tool', places);
  return places;
}

function addDescriptions(value: unknown, within: 'tool' | 'schema' | 'value', places: TextPlace[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, entry] of Object.entries(value)) {
    const isNested = typeof entry === 'object' && !Array.isArray(entry);
    if (within === 'schema' && SCHEMA_WORDS.has(name) && !isNested) continue;
    const isSchema = within !== 'tool' || SCHEMAS.has(name);
    const inside = isSchema ? 'schema' : 'tool';
    const isValue = within === 'value' || (isSchema && SCHEMA_VALUES.has(name));
    if (typeof entry !== 'string') addDescriptions(entry, isValue ? 'value' : inside, places);
    else if (entry !== '' && (isSchema || name === 'description')) places.push(placeOf(value, name, entry));
  }
}

function placeOf(object: object, name: string, text: string): TextPlace {
  const put = (replaced: string) => setMember(object, name, replaced);
  return { kind: 'text', text, channel: undefined, call: undefined, put };
}
