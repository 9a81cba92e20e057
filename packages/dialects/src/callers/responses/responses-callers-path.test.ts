import { describe, expect, it } from 'vitest';
import { ANTHROPIC_FIELDS } from '../../providers/anthropic/anthropic-fields.ts';
import { CHAT_TO_ANTHROPIC } from '../../providers/anthropic/convert-chat-to-anthropic.ts';
import { writeTranslated } from '../../translation/write-translated.ts';
import { RESPONSES_TO_CHAT } from '../caller-translations.ts';
import { callersPath } from './responses-callers-path.ts';
import { writeEncryptedContent } from './responses-carried-reasoning.ts';

const MODEL = { id: 'acme/small', maxOutputTokens: undefined, upstreamModel: 'claude-opus-4-6' };

/** Translates twice, as for a provider of Messages. */
function written(more: object) {
  const chunks = [Buffer.from(JSON.stringify({ model: 'acme/small', input: 'hello', ...more }))];
  return writeTranslated(chunks, [RESPONSES_TO_CHAT, CHAT_TO_ANTHROPIC], MODEL);
}

const HELLO = { role: 'user', content: 'hello' };
const call = (more: object = {}) => ({
  type: 'function_call',
  call_id: 'c',
  name: 'f',
  arguments: '{}',
  ...more,
});
const output = (call_id = 'c') => ({ type: 'function_call_output', call_id, output: 'x' });

describe("a field that the provider's API cannot express", () => {
  it.each<[string, object, string]>([
    ['an effort', { reasoning: { effort: 'utmost' } }, 'reasoning.effort'],
    ['a call without its result', { input: [HELLO, HELLO, call(), HELLO] }, 'input[2]'],
    ['a result without its call', { input: [HELLO, output('d')] }, 'input[1].call_id'],
    [
      'arguments',
      { input: [HELLO, { role: 'assistant', content: 'a' }, call({ arguments: '[]' }), output()] },
      'input[2].arguments',
    ],
    [
      'a picture',
      {
        input: [
          HELLO,
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'a' },
              { type: 'input_image', image_url: 'data:image/tiff;base64,AAAA' },
            ],
          },
        ],
      },
      'input[1].content[1].image_url',
    ],
    [
      'a picture of a tool',
      { input: [HELLO, call(), { ...output(), output: [{ type: 'input_image', image_url: 'ftp://a' }] }] },
      'input[2].output[0].image_url',
    ],
    [
      'a file',
      {
        input: [
          { role: 'user', content: [{ type: 'input_file', file_data: 'data:application/zip;base64,AAAA' }] },
        ],
      },
      'input[0].content[0].file_data',
    ],
    [
      'a recording',
      { input: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      'input[0].content[0].input_audio',
    ],
    ['no words', { input: [{ role: 'user', content: ' ' }] }, 'input'],
  ])('a refused field has the name that the caller knows: %s', (_name, more, param) => {
    const attempt = () => written(more);
    expect(attempt).toThrow(expect.objectContaining({ status: 400, code: 'invalid_request', param }));
    expect(attempt).toThrow(`${param}: the model "acme/small"`);
  });

  it('an ignored field has the name that the caller knows', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'a', format: 'openai-responses-v1' }];
    const extra = { calls: [{ id: 'c', extra_content: { google: {} } }] };
    const kept = (encrypted: object) => ({
      type: 'reasoning',
      summary: [],
      encrypted_content: writeEncryptedContent(encrypted),
    });
    const { ignored } = written({
      input: [
        {
          role: 'user',
          content: [{ type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' }],
        },
        kept({ details }),
        kept({ field: 'reasoning_content', text: 'Hm.' }),
        kept(extra),
        call(),
        output(),
      ],
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } },
      frequency_penalty: 1,
      user: 'me',
    });
    expect(ignored.toSorted()).toEqual([
      'content[input_image].detail',
      'frequency_penalty',
      'input[reasoning]',
      'input[reasoning].encrypted_content',
      'text.format.name',
      'text.verbosity',
      'user',
    ]);
  });

  it('every field of a translated request has a name in Responses', () => {
    const same = [
      'temperature',
      'top_p',
      'tool_choice',
      'parallel_tool_calls',
      'frequency_penalty',
      'presence_penalty',
    ];
    const ofChat = Object.keys(ANTHROPIC_FIELDS).filter((name) => callersPath(name, undefined) === name);
    const written = ['max_completion_tokens', 'messages', 'reasoning_effort', 'response_format', 'verbosity'];
    expect(ofChat.filter((name) => written.includes(name))).toEqual([]);
    expect(ofChat).toEqual(expect.arrayContaining(same));
  });
});
