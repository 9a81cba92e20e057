import { expect, test } from 'vitest';
import { addToolCall } from './add-tool-call.ts';
import type { ToolCall } from './chat-turn.ts';

const piece = (index: number, more: object) => ({
  kind: 'tool-call' as const,
  index,
  id: '',
  name: '',
  args: '',
  ...more,
});

test('the pieces of two calls are put together, each with an id', () => {
  const pieces = [
    piece(0, { id: 'call_a', name: 'first', args: '{' }),
    piece(0, { args: '}' }),
    piece(2, { name: 'second' }),
  ];
  expect(pieces.reduce<ToolCall[]>(addToolCall, [])).toEqual([
    { index: 0, id: 'call_a', name: 'first', args: '{}' },
    { index: 2, id: 'call_2', name: 'second', args: '' },
  ]);
});
