import { until, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { matrixOptions, modelIdOf } from '../matrix/cell.ts';
import { MATRIX_KINDS } from '../matrix/kinds.ts';

/**
 * Conversations whose caller changes the model, while something is in them that only the model before
 * understands.
 */

const gateway = withGateway(matrixOptions(MATRIX_KINDS));

const MARK = 'kept-by-model-gateway.';
const QUESTION = 'use double: {"a":21}';
const SCHEMA = { type: 'object', properties: { a: { type: 'number' } } };
/** Large enough to be translated in the worker thread. */
const LARGE = 'A glacier is a river of ice. '.repeat(100_000);

const modelOf = (title: string) => {
  const kind = MATRIX_KINDS.find((one) => one.title === title);
  if (kind === undefined) throw new Error(`there is no kind ${title}`);
  return modelIdOf(kind);
};

async function post(path: string, request: object): Promise<{ response: Response; text: string }> {
  const response = await gateway.post(path, request);
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(200);
  return { response, text };
}

/** Body of the last request to the provider. Bedrock gets prompts to count in base64. */
function seen(): string {
  const text = gateway.provider.requests.at(-1)?.bodyText ?? '';
  const counted = /^\{"input":\{"invokeModel":\{"body":"([^"]+)"/.exec(text)?.[1];
  return counted === undefined ? text : Buffer.from(counted, 'base64').toString();
}

const ignoredOf = (response: Response) => response.headers.get('x-gateway-ignored')?.split(/, */) ?? [];

const block = z.looseObject({ type: z.string(), id: z.string().optional() });
const message = z.looseObject({ content: z.array(block) });

/** The first turns of a conversation in which a model has thought, and has called a tool. */
async function begunMessages(model: string, more = '') {
  const user = { role: 'user', content: [{ type: 'text', text: `${more}${QUESTION}` }] };
  const asked = {
    max_tokens: 4_000,
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    tools: [{ name: 'double', input_schema: SCHEMA }],
  };
  const { text } = await post('messages', { ...asked, model, messages: [user] });
  const { content } = message.parse(JSON.parse(text));
  expect(text).toContain(MARK);
  const results = content
    .filter(({ type }) => type === 'tool_use')
    .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '42' }));
  expect(results).toHaveLength(1);
  return { ...asked, messages: [user, { role: 'assistant', content }, { role: 'user', content: results }] };
}

const OTHERS = ['Gemini', 'Vertex', 'Bedrock Converse'];
const CLAUDES = ['Anthropic', 'Vertex Claude', 'Bedrock Claude'];

describe.each(OTHERS.flatMap((before) => CLAUDES.map((after) => ({ before, after }))))(
  'a caller of Messages goes on at $after after $before',
  ({ before, after }) => {
    it('a conversation continues without what only the model before signed', async () => {
      const conversation = await begunMessages(modelOf(before));
      for (const stream of [false, true]) {
        const { response } = await post('messages', { ...conversation, model: modelOf(after), stream });
        expect(seen()).not.toContain(MARK);
        expect(seen()).toContain('"tool_result"');
        // Within calls of tools, nothing may be thought that does not go on from a thought.
        expect(ignoredOf(response)).toEqual(['messages[].content[].thinking', 'thinking']);
        expect(seen()).not.toContain('budget_tokens');
      }
    });
  },
);

describe.each(CLAUDES)('a caller of Messages goes on at %s after Gemini', (after) => {
  it('the model thinks again in the next turn', async () => {
    const conversation = await begunMessages(modelOf('Gemini'));
    const more = [
      { role: 'assistant', content: [{ type: 'text', text: 'It is 42.' }] },
      { role: 'user', content: 'Why?' },
    ];
    const messages = [...conversation.messages, ...more];
    const { response, text } = await post('messages', { ...conversation, messages, model: modelOf(after) });
    expect(ignoredOf(response)).toEqual(['messages[].content[].thinking']);
    expect(message.parse(JSON.parse(text)).content[0]?.type).toBe('thinking');
  });

  it('a turn of thoughts only is left out', async () => {
    const { messages, ...conversation } = await begunMessages(modelOf('Gemini'));
    const thought = messages.flatMap(({ content }) => content).filter(({ type }) => /thinking/.test(type));
    const turns = [
      { role: 'user', content: 'Think.' },
      { role: 'assistant', content: thought },
      { role: 'user', content: 'And now?' },
    ];
    await post('messages', { ...conversation, messages: turns, model: modelOf(after) });
    expect(seen()).not.toContain(MARK);
    expect(seen()).not.toContain('"assistant"');
  });

  it('unsigned thoughts are left out', async () => {
    const { messages, ...conversation } = await begunMessages(modelOf('Gemini'));
    const unsigned = { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: '' }] };
    const turns = [{ role: 'user', content: 'Think.' }, unsigned, ...messages];
    await post('messages', { ...conversation, messages: turns, model: modelOf(after) });
    expect(seen()).not.toContain('Hm.');
  });

  it('a long conversation continues', async () => {
    const conversation = await begunMessages(modelOf('Gemini'), LARGE);
    await post('messages', { ...conversation, model: modelOf(after) });
    expect(seen()).not.toContain(MARK);
    expect(seen().length).toBeGreaterThan(LARGE.length);
  });

  it('the tokens of the conversation are counted', async () => {
    const { messages, tools, thinking } = await begunMessages(modelOf('Gemini'));
    const { text } = await post('messages/count_tokens', {
      messages,
      tools,
      thinking,
      model: modelOf(after),
    });
    expect(JSON.parse(text)).toEqual({ input_tokens: expect.any(Number) });
    expect(seen()).toContain('"tool_result"');
    expect(seen()).not.toContain(MARK);
  });
});

it('the model that signed a thought gets it back after another model was asked', async () => {
  const conversation = await begunMessages(modelOf('Gemini'));
  await post('messages', { ...conversation, model: modelOf('Anthropic') });
  await post('messages', { ...conversation, model: modelOf('Gemini') });
  expect(seen()).toContain('thoughtSignature');
});

it('a text with the marker in it stays unchanged, to the byte', async () => {
  const text = JSON.stringify(`What is "${MARK}abc"?`);
  const body = `{ "model":"${modelOf('Anthropic')}",\n"max_tokens": 100, "temperature":1.0,
    "messages":[{"role":"user", "content":${text}}]}`;
  const response = await gateway.post('messages', body);
  expect(response.status).toBe(200);
  expect(seen()).toBe(body.replace(modelOf('Anthropic'), 'sim-claude-pro'));
  expect(ignoredOf(response)).toEqual([]);
});

describe.each(['Anthropic', 'Gemini', 'Bedrock Converse'])(
  'a caller of Responses goes on at a provider of that API after %s',
  (before) => {
    it.each([
      ['a short', ''],
      ['a long', LARGE],
    ])('a conversation continues without what only the model before encrypted, %s', async (_size, more) => {
      const user = { role: 'user', content: `${more}${QUESTION}` };
      const asked = {
        store: false,
        reasoning: { effort: 'low' },
        include: ['reasoning.encrypted_content'],
        tools: [{ type: 'function', name: 'double', parameters: SCHEMA }],
      };
      const { text } = await post('responses', { ...asked, model: modelOf(before), input: [user] });
      expect(text).toContain(MARK);
      const item = z.looseObject({ type: z.string(), call_id: z.string().optional() });
      const { output } = z.object({ output: z.array(item) }).parse(JSON.parse(text));
      const results = output
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id }) => ({ type: 'function_call_output', call_id, output: '42' }));
      const input = [user, ...output, ...results];
      const { response } = await post('responses', { ...asked, model: modelOf('Azure'), input });
      expect(ignoredOf(response)).toEqual(['input[].encrypted_content']);
      expect(seen()).not.toContain(MARK);
      expect(seen()).toContain('function_call_output');
      await until(() => gateway.provider.requests.length === 2);
    });
  },
);
