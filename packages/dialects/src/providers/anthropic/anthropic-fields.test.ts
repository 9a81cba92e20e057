import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/json-object.ts';
import { ANTHROPIC_FIELDS } from './anthropic-fields.ts';
import { convertChatToAnthropic } from './convert-chat-to-anthropic.ts';

const MODEL = { id: 'anthropic/claude', maxOutputTokens: 64_000 };

function translate(request: JsonObject) {
  return convertChatToAnthropic(request, MODEL, 'claude-sonnet-4-5');
}

/** A request in which everything is carried, with every object that a rule is about. */
function everything(field: string): JsonObject {
  const called = () => ({ name: 'find' });
  const named = () => ({ type: 'function', function: called() });
  const call = { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{}' } };
  return {
    model: 'anthropic/claude',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
      { role: 'user', content: [{ type: 'file', file: { file_data: 'https://example.com/a.pdf' } }] },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
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

interface Place {
  object: Record<string, unknown>;
  path: string;
}

/** All objects of the request that are at a path without numbers, with their own paths. */
function placesOf(value: unknown, names: readonly string[], path = ''): Place[] {
  if (!isRecord(value)) return [];
  const [name, ...rest] = names;
  if (name === undefined) return [{ object: value, path }];
  const key = name.replace('[]', '');
  const at = path === '' ? key : `${path}.${key}`;
  const found = value[key];
  if (!name.endsWith('[]')) return placesOf(found, rest, at);
  return Array.isArray(found) ? found.flatMap((one, index) => placesOf(one, rest, `${at}[${index}]`)) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withMember(field: string, value: unknown): { request: JsonObject; path: string } {
  const names = field.split('.');
  const name = names.pop() ?? '';
  const request = everything(field);
  const [place] = placesOf(request, names);
  if (place === undefined) throw new Error(`there is no place for ${field} in the request`);
  place.object[name] = value;
  return { request, path: place.path === '' ? name : `${place.path}.${name}` };
}

const fieldsOf = (fate: string) =>
  Object.entries(ANTHROPIC_FIELDS)
    .filter(([, rule]) => rule.fate === fate)
    .map(([field]) => field);

describe('the rules for fields', () => {
  it.each(fieldsOf('refused'))('the rules refuse %s by name', (field) => {
    const { path, request } = withMember(field, { asked: 'for it' });
    expect(() => translate(request)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: path, status: 400 }),
    );
    expect(() => translate(request)).toThrow('"anthropic/claude"');
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
      expect(placesOf(everything(field), field.split('.').slice(0, -1))).not.toEqual([]);
      expect(translate(everything(field)).ignored).toEqual([]);
    },
  );

  it('the rules name unknown fields, at any depth', () => {
    for (const field of ['whatever', 'messages[].whatever', 'tools[].function.whatever', 'constructor']) {
      expect(translate(withMember(field, 1).request).ignored).toEqual([field]);
    }
    const { messages } = everything('');
    const request: JsonObject = { ...JSON.parse('{"__proto__": {"n": 2}}'), messages };
    expect(translate(request).ignored).toEqual(['__proto__']);
  });

  it.each([...fieldsOf('refused'), ...fieldsOf('ignored')])(
    'the rules treat a %s of null as absent',
    (field) => {
      expect(translate(withMember(field, null).request).ignored).toEqual([]);
    },
  );

  it.each<[field: string, value: unknown]>([
    ['n', 1],
    ['logprobs', false],
    ['top_logprobs', 0],
    ['logit_bias', {}],
    ['modalities', ['text']],
    ['frequency_penalty', 0],
    ['presence_penalty', 0],
    ['metadata', {}],
    ['messages[].annotations', []],
    ['messages[].images', []],
    ['messages[].tool_calls[].index', 0],
    ['messages[].content[].image_url.detail', 'auto'],
  ])('the rules allow %s as %j, which asks for nothing', (field, value) => {
    expect(ANTHROPIC_FIELDS[field]?.isNeutral).toBeDefined();
    expect(translate(withMember(field, value).request).ignored).toEqual([]);
  });
});
