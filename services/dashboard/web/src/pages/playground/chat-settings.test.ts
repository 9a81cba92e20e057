import { expect, test } from 'vitest';
import { type ChatSettings, readSettings } from './chat-settings.ts';

const empty: ChatSettings = {
  model: '',
  secondModel: '',
  api: 'chat_completions',
  system: '',
  temperature: '',
  maxTokens: '',
  tools: '',
  seatId: undefined,
};

test('empty fields are not sent', () => {
  expect(readSettings(empty)).toEqual({ options: {}, problems: {} });
});

test('numbers in range are sent', () => {
  expect(readSettings({ ...empty, temperature: '0', maxTokens: '256', seatId: 'seat_1' })).toEqual({
    options: { temperature: 0, maxTokens: 256, seatId: 'seat_1' },
    problems: {},
  });
});

test.each([
  ['2.1', '0'],
  ['-1', '1.5'],
  ['warm', 'all'],
])('temperature %s and %s tokens are not sent, and have a problem', (temperature, maxTokens) => {
  const { options, problems } = readSettings({ ...empty, temperature, maxTokens });
  expect(options).toEqual({});
  expect(Object.keys(problems)).toEqual(['temperature', 'maxTokens']);
});

test('tools are sent unchanged, and invalid ones have a problem', () => {
  const tools = [{ type: 'function', function: { name: 'ping' } }];
  expect(readSettings({ ...empty, tools: JSON.stringify(tools) }).options).toEqual({ tools });
  expect(readSettings({ ...empty, tools: 'ping' })).toMatchObject({
    options: {},
    problems: { tools: expect.stringContaining('not JSON') },
  });
});
