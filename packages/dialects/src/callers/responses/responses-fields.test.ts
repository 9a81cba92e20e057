import { describe, expect, it } from 'vitest';
import type { Chat } from '../../interfaces/chat.ts';
import { convertResponsesToChat } from './convert-responses-to-chat.ts';
import { RESPONSES_FIELDS } from './responses-fields.ts';

const MODEL: Chat['model'] = { id: 'acme/small', maxOutputTokens: undefined };
/** A value that no rule takes for as good as nothing. */
const VALUE = { enabled: 'yes' };

const HELLO = { role: 'user', content: 'hello' };

const ITEMS: Readonly<Record<string, object>> = {
  message: { role: 'assistant', content: 'a' },
  function_call: { call_id: 'a', name: 'b', arguments: '{}' },
  function_call_output: { call_id: 'a', output: 'b' },
  custom_tool_call: { call_id: 'a', name: 'b', input: 'c' },
  custom_tool_call_output: { call_id: 'a', output: 'b' },
  reasoning: { summary: [] },
};
const PARTS: Readonly<Record<string, object>> = {
  output_text: { text: 'a' },
  input_image: { image_url: 'https://example.com/a.png' },
  input_file: { file_data: 'data:application/pdf;base64,AAAA' },
};
const TOOLS: Readonly<Record<string, object>> = { function: { name: 'a' }, custom: { name: 'a' } };

interface Place {
  more: object;
  param: string;
}

function requestWith(field: string): Place {
  const [, kind = '', type = '', member] =
    /^(input|content|tools|include)\[([\w.]+)\](?:\.(\w+))?$/.exec(field) ?? [];
  const more = member === undefined ? {} : { [member]: VALUE };
  const under = member ?? 'type';
  switch (kind) {
    case 'include':
      return { more: { include: [type] }, param: 'include[0]' };
    case 'input':
      return { more: { input: [{ type, ...ITEMS[type], ...more }, HELLO] }, param: `input[0].${under}` };
    case 'content': {
      const content = [{ type, ...PARTS[type], ...more }];
      return { more: { input: [{ role: 'user', content }] }, param: `input[0].content[0].${under}` };
    }
    case 'tools':
      return { more: { tools: [{ type, ...TOOLS[type], ...more }] }, param: `tools[0].${under}` };
  }
  const [first = '', second] = field.split('.');
  return { more: { [first]: second === undefined ? VALUE : { [second]: VALUE } }, param: field };
}

function translated(more: object) {
  return convertResponsesToChat({ model: 'acme/small', input: 'hello', ...more }, MODEL);
}

const fieldsThatAre = (fate: string) =>
  Object.entries(RESPONSES_FIELDS).flatMap(([name, rule]) => (rule.fate === fate ? [name] : []));
const isListed = (name: string) => RESPONSES_FIELDS[name]?.isNeutral?.(VALUE) !== true;

describe('a Responses field that Chat Completions cannot express', () => {
  it.each(fieldsThatAre('refused'))('is refused by name: %s', (field) => {
    const { more, param } = requestWith(field);
    const refused = () => translated(more);
    expect(refused).toThrow(expect.objectContaining({ status: 400, code: 'invalid_request', param }));
    expect(refused).toThrow('"acme/small"');
  });

  it.each(fieldsThatAre('ignored').filter(isListed))('is ignored by name: %s', (field) => {
    expect(translated(requestWith(field).more).ignored).toEqual([field]);
  });

  it.each(fieldsThatAre('ignored').filter((name) => !isListed(name)))(
    'is ignored without its name, because it means nothing to a model: %s',
    (field) => {
      expect(translated(requestWith(field).more).ignored).toEqual([]);
    },
  );

  it('is ignored by name if it is unknown', () => {
    const part = { type: 'input_text', text: 'a', colour: 'red' };
    const { ignored } = translated({
      input: [{ type: 'message', role: 'user', content: [part], mood: 1 }],
      text: { colour: 1 },
      include: ['novelty'],
      constructor: 1,
      notre: 'mine',
    });
    expect(ignored.toSorted()).toEqual([
      'constructor',
      'content[input_text].colour',
      'include[novelty]',
      'input[message].mood',
      'notre',
      'text.colour',
    ]);
  });

  it('is named in plain characters, up to a maximum of names', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, 1]));
    expect(translated({ 'a\r\nset-cookie: b': 1, include: ['a\r\nb', '\u4f60'] }).ignored).toEqual([
      'others',
    ]);
    expect(translated(many).ignored.length).toBeLessThan(50);
  });

  it.each<[string, object, string]>([
    ['an item', { input: [{ type: 'hologram' }] }, 'input[0].type'],
    [
      'an item that is called as what every object has',
      { input: [{ type: 'constructor' }] },
      'input[0].type',
    ],
    ['a part', { input: [{ role: 'user', content: [{ type: 'hologram' }] }] }, 'input[0].content[0].type'],
    ['a tool', { tools: [{ type: 'robot_arm', name: 'a' }] }, 'tools[0].type'],
    ['a format', { text: { format: { type: 'grammar' } } }, 'text.format.type'],
    [
      'a picture in instructions',
      { input: [{ role: 'system', content: [{ type: 'input_image', image_url: 'a' }] }] },
      'input[0].content[0].type',
    ],
    [
      'a file that has no type',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_data: 'AAAA' }] }] },
      'input[0].content[0].file_data',
    ],
  ])('is refused by name: %s', (_name, more, param) => {
    expect(() => translated(more)).toThrow(expect.objectContaining({ status: 400, param }));
  });
});
