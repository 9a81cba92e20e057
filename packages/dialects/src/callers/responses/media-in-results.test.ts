import { expect, it } from 'vitest';
import { CHAT_TO_ANTHROPIC } from '../../providers/anthropic/convert-chat-to-anthropic.ts';
import { CHAT_TO_BEDROCK_CLAUDE } from '../../providers/bedrock/chat-to-bedrock-claude.ts';
import { CHAT_TO_COHERE } from '../../providers/cohere/convert-chat-to-cohere.ts';
import { CHAT_TO_VERTEX_CLAUDE } from '../../providers/vertex/chat-to-vertex-claude.ts';
import type { Translation } from '../../translation/translation.ts';
import { writeTranslated } from '../../translation/write-translated.ts';
import { RESPONSES_TO_CHAT } from '../caller-translations.ts';

const DATA = 'iVBORw0KGgo=';
const REQUEST = {
  model: 'acme/claude',
  input: [
    { role: 'user', content: 'Draw.' },
    { type: 'function_call', call_id: 'call_1', name: 'draw', arguments: '{}' },
    {
      type: 'function_call_output',
      call_id: 'call_1',
      output: [
        { type: 'input_text', text: 'as drawn' },
        { type: 'input_image', image_url: `data:image/png;base64,${DATA}` },
      ],
    },
  ],
  tools: [{ type: 'function', name: 'draw', parameters: { type: 'object', properties: {} } }],
};
const MODEL = { id: 'acme/claude', maxOutputTokens: undefined, upstreamModel: 'claude-sonnet-4-6' };

function messagesFor(toProvider: Translation): unknown[] {
  const chunks = [Buffer.from(JSON.stringify(REQUEST))];
  const { json } = writeTranslated(chunks, [RESPONSES_TO_CHAT, toProvider], MODEL);
  return JSON.parse(Buffer.from(json).toString()).messages;
}

it.each([CHAT_TO_ANTHROPIC, CHAT_TO_BEDROCK_CLAUDE, CHAT_TO_VERTEX_CLAUDE])(
  'a picture in a tool result stays inside it for Claude: $name',
  (toProvider) => {
    const source = { type: 'base64', media_type: 'image/png', data: DATA };
    const content = [
      { type: 'text', text: 'as drawn' },
      { type: 'image', source },
    ];
    expect(messagesFor(toProvider).at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'call_1', content }],
    });
  },
);

it('a picture in a tool result follows it where tools send only text', () => {
  const messages = messagesFor(CHAT_TO_COHERE);
  expect(messages.at(-2)).toMatchObject({ role: 'tool', content: expect.stringContaining('as drawn') });
  expect(messages.at(-1)).toMatchObject({ role: 'user' });
  expect(JSON.stringify(messages.at(-1))).toContain(DATA);
});
