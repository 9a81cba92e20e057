import { expect, it } from 'vitest';
import { promptTexts } from './prompt-texts.ts';

const PICTURE = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'QUJD'.repeat(99) },
};

it('the prompt texts are exactly what the model reads', () => {
  const { messages, texts } = promptTexts({
    model: 'm',
    metadata: { user_id: 'nobody' },
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }, PICTURE] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'a look helps', signature: 'c2ln' },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 3 } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'text', text: 'a cat' }, PICTURE],
          },
        ],
      },
    ],
    tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }],
  });
  expect(texts).toEqual([
    'Be brief.',
    'user',
    'What is this?',
    'assistant',
    'a look helps',
    'look',
    '{"at":3}',
    'user',
    'a cat',
    '{"name":"look","description":"Looks.","input_schema":{"type":"object"}}',
  ]);
  expect(messages).toBe(4);
});

it.each([
  null,
  'text',
  { messages: 'x', system: 3, tools: {} },
  { messages: [null, 3, { content: [[{}]] }] },
])('a request without valid texts has none: %j', (request) => {
  expect(promptTexts(request).texts).toEqual([]);
});
