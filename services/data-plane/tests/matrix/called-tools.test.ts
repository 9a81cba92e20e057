import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { MATRIX_CALLERS } from './callers.ts';
import { Cell, matrixOptions } from './cell.ts';
import { MATRIX_KINDS } from './kinds.ts';

/** How providers say that an answer ends for calls of tools, and that it is just over. */
const WORDS: Readonly<Record<string, { forCalls: string; over: string }>> = {
  Anthropic: { forCalls: 'tool_use', over: 'end_turn' },
  'Vertex Claude': { forCalls: 'tool_use', over: 'end_turn' },
  'Bedrock Converse': { forCalls: 'tool_use', over: 'end_turn' },
  'Bedrock Claude': { forCalls: 'tool_use', over: 'end_turn' },
  Cohere: { forCalls: 'TOOL_CALL', over: 'COMPLETE' },
};
const SAID = 'A glacier is a river of ice.';
const TOOLS = [{ name: 'double', parameters: { type: 'object', properties: { a: { type: 'number' } } } }];

const gateway = withGateway(matrixOptions(MATRIX_KINDS));

const cells = MATRIX_CALLERS.flatMap((caller) =>
  MATRIX_KINDS.filter(({ title }) => title in WORDS).map((kind) => ({ caller, kind })),
).filter(({ caller, kind }) => caller.title !== 'Messages' || !/Claude|Anthropic/.test(kind.title));

describe.each(cells)('$caller.title at $kind.title', ({ caller, kind }) => {
  const words = WORDS[kind.title] ?? { forCalls: '', over: '' };
  const ask = (asked: string) => ({ tools: TOOLS, turns: [{ user: [{ text: asked }] }] });

  it('a response without calls has none, whatever stop reason the provider sends', async () => {
    const cell = new Cell(caller, kind, gateway, gateway.rawKey);
    const fault = { content: SAID, stop_reason: words.forCalls };
    gateway.provider.script(fault, fault);
    for (const answered of [await cell.whole(ask('Hi.')), await cell.streamed(ask('Hi.'))])
      expect(answered).toMatchObject({ text: SAID, calls: [], stop: 'stop' });
  });

  it('a response with calls has them, whatever stop reason the provider sends', async () => {
    const cell = new Cell(caller, kind, gateway, gateway.rawKey);
    const fault = { stop_reason: words.over };
    gateway.provider.script(fault, fault);
    const question = ask('use double: {"a":21}');
    for (const answered of [await cell.whole(question), await cell.streamed(question)])
      expect(answered).toMatchObject({ calls: [{ name: 'double', input: { a: 21 } }], stop: 'tool_calls' });
  });
});
