import { type ProviderTraits, presetTraits, type TraitPresetName } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../json/json-object.ts';
import { chatWithTraits, chatWithTraitsNamed, hasRequestTraits } from './chat-with-traits.ts';

const MODEL = { id: 'acme/small', maxOutputTokens: undefined, upstreamModel: 'small' };
const USER = { role: 'user', content: 'Hello' };

function apply(traits: TraitPresetName | Partial<ProviderTraits>, request: JsonObject) {
  const all = typeof traits === 'string' ? presetTraits(traits) : { ...presetTraits('generic'), ...traits };
  return chatWithTraits(all).apply({ model: 'm', messages: [USER], ...request }, MODEL);
}

it('the output limit has the name that the server knows', () => {
  expect(apply('mistral', { max_completion_tokens: 5 }).request).toEqual({
    model: 'm',
    messages: [USER],
    max_tokens: 5,
  });
  expect(apply('groq', { max_completion_tokens: 5 }).request).toHaveProperty('max_completion_tokens', 5);
  expect(apply('groq', { max_tokens: 5 }).request).toHaveProperty('max_tokens', 5);
});

const thought = { role: 'assistant', content: 'Hi', reasoning_content: 'Hm.' };
const details = [{ type: 'reasoning.text', text: 'Hm.', signature: 's', format: 'anthropic-claude-v1' }];

it.each<[TraitPresetName, JsonObject]>([
  ['groq', { role: 'assistant', content: 'Hi' }],
  ['deepseek', thought],
  ['vllm', { role: 'assistant', content: 'Hi', reasoning: 'Hm.' }],
  [
    'mistral',
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
        { type: 'text', text: 'Hi' },
      ],
    },
  ],
  ['openrouter', thought],
])('%s gets earlier reasoning back in the form that it takes', (preset, expected) => {
  expect(apply(preset, { messages: [USER, thought] }).request.messages).toEqual([USER, expected]);
});

it('reasoning signed by another provider is ignored by name, at Mistral with its text', () => {
  const signed = { ...thought, reasoning_details: details };
  expect(apply('deepseek', { messages: [signed] })).toMatchObject({
    request: { messages: [thought] },
    ignored: ['messages[].reasoning_details'],
  });
  const { ignored, request } = apply('mistral', { messages: [signed] });
  expect(request.messages).toEqual([{ role: 'assistant', content: 'Hi' }]);
  expect(ignored).toEqual(['messages[].reasoning_details', 'messages[].reasoning_content']);
  expect(apply('openrouter', { messages: [signed] }).request.messages).toEqual([signed]);
});

const CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };

it('calls of a Gemini model lose their thought signature, by name', () => {
  const signed = { ...CALL, extra_content: { google: { thought_signature: 's' } } };
  const messages = [USER, { role: 'assistant', content: null, tool_calls: [signed] }];
  const { ignored, request } = apply('mistral', { messages });
  expect(request.messages).toEqual([USER, { role: 'assistant', content: null, tool_calls: [CALL] }]);
  expect(ignored).toEqual(['messages[].tool_calls[].extra_content']);
  expect(apply('generic', { messages }).request.messages).toEqual(messages);
});

it.each<[TraitPresetName, JsonObject]>([
  ['moonshot', { reasoning_content: ' ' }],
  ['deepseek', { reasoning_content: ' ' }],
  ['fireworks', {}],
])('at %s a call without its reasoning is sent with %j', (preset, expected) => {
  const called = { role: 'assistant', content: null, tool_calls: [CALL] };
  const messages = [called, { ...called, reasoning_content: 'Hm.' }, { role: 'assistant', content: 'Hi' }];
  expect(apply(preset, { messages }).request.messages).toEqual([
    { ...called, ...expected },
    messages[1],
    messages[2],
  ]);
});

it('a local server gets one system message, at the beginning', () => {
  const { request } = apply('llama-cpp', {
    messages: [USER, { role: 'system', content: 'A' }, thought, { role: 'developer', content: 'B' }],
  });
  expect(request.messages).toEqual([{ role: 'system', content: 'A\n\nB' }, USER, thought]);
  const parts = [{ type: 'text', text: 'A' }];
  const { request: withParts } = apply('vllm', {
    messages: [{ role: 'system', content: parts }, USER, { role: 'system', content: 'B' }],
  });
  expect(withParts.messages).toEqual([
    { role: 'system', content: [...parts, { type: 'text', text: 'B' }] },
    USER,
  ]);
});

it('a strict server gets no members, roles and options that it refuses', () => {
  const echoed = {
    role: 'assistant',
    content: 'Hi',
    refusal: null,
    annotations: [],
    audio: null,
    name: 'bot',
  };
  const { ignored, request } = apply('mistral', {
    messages: [
      { role: 'developer', content: 'Be brief.' },
      echoed,
      { role: 'tool', name: 'f', content: '1' },
    ],
    store: true,
    verbosity: 'low',
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(request).toEqual({
    model: 'm',
    stream: true,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: 'Hi' },
      { role: 'tool', name: 'f', content: '1' },
    ],
  });
  expect(ignored).toEqual(['verbosity', 'store', 'messages[].name']);
});

it('a stream requests its usage if the server accepts that', () => {
  const { request } = apply('groq', { stream: true, stream_options: { other: 1 } });
  expect(request.stream_options).toEqual({ other: 1, include_usage: true });
});

it('too many stop sequences and too long tool names are refused with their path', () => {
  const stop = ['a', 'b', 'c', 'd', 'e'];
  expect(() => apply('openai', { stop })).toThrow(/at most 4 stop sequences/);
  expect(apply('generic', { stop }).request.stop).toEqual(stop);
  const tools = [{ type: 'function', function: { name: 'x'.repeat(65) } }];
  expect(() => apply('openai', { tools })).toThrow(/at most 64 characters/);
  expect(apply('generic', { tools }).request.tools).toEqual(tools);
});

it('refused keywords are removed from schemas, but not properties of that name', () => {
  const schema = {
    type: 'object',
    properties: {
      pattern: { type: 'string', pattern: '^a' },
      list: { items: { minLength: 1, enum: [{ pattern: 1 }] } },
    },
  };
  const cleaned = {
    type: 'object',
    properties: { pattern: { type: 'string' }, list: { items: { enum: [{ pattern: 1 }] } } },
  };
  const traits = { schema_keywords: ['pattern', 'minLength'] };
  const { ignored, request } = apply(traits, {
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    tools: [{ type: 'function', function: { name: 'f', parameters: schema } }, { type: 'other' }],
  });
  expect(request.response_format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'a', schema: cleaned },
  });
  expect(request.tools).toEqual([
    { type: 'function', function: { name: 'f', parameters: cleaned } },
    { type: 'other' },
  ]);
  expect(ignored).toEqual(['response_format.json_schema.schema', 'tools[].function.parameters']);
});

it('the translation is found by its name in another thread', () => {
  const { name } = chatWithTraits(presetTraits('mistral'));
  expect(chatWithTraitsNamed(name)?.apply({ max_completion_tokens: 1 }, MODEL).request).toEqual({
    max_tokens: 1,
  });
  expect(chatWithTraitsNamed('chat to chat')).toBeUndefined();
});

it('traits that only concern responses change no request', () => {
  const generic = presetTraits('generic');
  expect(hasRequestTraits({ ...generic, done_marker: false, usage_at: 'x', cached_tokens_at: 'y' })).toBe(
    false,
  );
  expect(hasRequestTraits({ ...generic, store: false })).toBe(true);
});
