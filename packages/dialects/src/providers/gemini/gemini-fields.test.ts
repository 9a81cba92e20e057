import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { convertChatToGemini } from './convert-chat-to-gemini.ts';
import { GEMINI_FIELDS } from './gemini-fields.ts';

function translate(request: JsonObject) {
  return convertChatToGemini(request, { id: 'google/gemini', maxOutputTokens: undefined }, 'gemini-3-pro');
}

/** A request in which everything is carried, with every object that a rule is about. */
function everything(field: string): JsonObject {
  const called = () => ({ name: 'find' });
  const named = () => ({ type: 'function', function: called() });
  const google = { thought_signature: 'c2ln', id: 'own' };
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'find', arguments: '{}' },
    extra_content: { google },
  };
  const user = (part: JsonObject) => ({ role: 'user', content: [part] });
  return {
    model: 'google/gemini',
    stream: true,
    stream_options: { include_usage: true },
    thinking: { type: 'enabled', budget_tokens: 2_000 },
    messages: [
      user({ type: 'text', text: 'hi' }),
      user({ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }),
      user({ type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }),
      user({ type: 'file', file: { file_data: 'https://example.com/a.pdf' } }),
      user({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
      {
        role: 'assistant',
        content: 'drawn',
        images: [{ type: 'image_url', image_url: { url: 'https://example.com/b.png' } }],
      },
      { role: 'assistant', function_call: { name: 'find', arguments: '{}' } },
      { role: 'function', content: 'x' },
    ],
    tools: [named()],
    functions: [{ name: 'other' }],
    ...choiceFor(field, called()),
    response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
  };
}

/** It has several forms, which exclude each other. */
function choiceFor(field: string, called: JsonObject): JsonObject {
  const named = { type: 'function', function: called };
  if (field.startsWith('function_call.')) return { function_call: called };
  if (field.startsWith('tool_choice.function.')) return { tool_choice: named };
  return { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named] } } };
}

/** The first object at a path without numbers, with its own path. */
function placeOf(
  value: unknown,
  names: readonly string[],
  path = '',
): { object: Record<string, unknown>; path: string } | undefined {
  if (!isObject(value)) return undefined;
  const [name, ...rest] = names;
  if (name === undefined) return { object: value, path };
  const key = name.replace('[]', '');
  const at = path === '' ? key : `${path}.${key}`;
  const found = value[key];
  if (!name.endsWith('[]')) return placeOf(found, rest, at);
  if (!Array.isArray(found)) return undefined;
  return found
    .map((one, index) => placeOf(one, rest, `${at}[${index}]`))
    .find((place) => place !== undefined);
}

function withMember(field: string, value: unknown): { request: JsonObject; path: string } {
  const names = field.split('.');
  const name = names.pop() ?? '';
  const request = everything(field);
  const place = placeOf(request, names);
  if (place === undefined) throw new Error(`there is no place for ${field} in the request`);
  place.object[name] = value;
  return { request, path: place.path === '' ? name : `${place.path}.${name}` };
}

const fieldsOf = (fate: string) =>
  Object.entries(GEMINI_FIELDS)
    .filter(([, rule]) => rule.fate === fate)
    .map(([field]) => field);

describe('the rules for fields', () => {
  it.each(fieldsOf('refused'))('the rules refuse %s by name', (field) => {
    const { path, request } = withMember(field, { asked: 'for it' });
    expect(() => translate(request)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: path, status: 400 }),
    );
    expect(() => translate(request)).toThrow('"google/gemini"');
  });

  it.each(fieldsOf('ignored'))('the rules name %s, which is left out', (field) => {
    const { request } = withMember(field, 'unheard of');
    const { ignored, request: sent } = translate(request);
    expect(ignored).toEqual([field]);
    expect(JSON.stringify(sent)).not.toContain('unheard of');
  });

  it.each(fieldsOf('carried'))(
    'the rules have a place for %s, and never name it for being there',
    (field) => {
      expect(placeOf(everything(field), field.split('.').slice(0, -1))).toBeDefined();
      expect(translate(everything(field)).ignored).toEqual([]);
    },
  );

  it('the rules name unknown fields, at any depth', () => {
    for (const field of ['whatever', 'messages[].whatever', 'tools[].function.whatever', 'constructor']) {
      expect(translate(withMember(field, 1).request).ignored).toEqual([field]);
    }
  });

  it.each([...fieldsOf('refused'), ...fieldsOf('ignored')])(
    'the rules treat a %s of null as absent',
    (field) => {
      expect(translate(withMember(field, null).request).ignored).toEqual([]);
    },
  );
});
