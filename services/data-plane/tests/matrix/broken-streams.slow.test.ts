import { readAll, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { MATRIX_CALLERS } from './callers.ts';
import { Cell, matrixOptions } from './cell.ts';
import { MATRIX_KINDS, type MatrixKind } from './kinds.ts';

const gateway = withGateway(matrixOptions(MATRIX_KINDS));

const FAULTS = [
  ['is cut', { truncate: { after_events: 6 } }],
  ['is reset', { reset: { after_events: 6 } }],
  ['begins a second message', { sse: 'start_twice' }],
  ['has a chunk that is no JSON', { rubbish: 'bad_chunk' }],
] as const;
const BAD_CHECKSUM = ['has a message with a wrong checksum', { sse: 'bad_checksum' }] as const;
/** Streams of these APIs have no event for the beginning of a message. */
const hasStart = ({ kind, prefer, title }: MatrixKind) =>
  kind === 'openai-compatible' ? prefer !== undefined : !['Azure', 'Gemini', 'Vertex'].includes(title);
const cells = MATRIX_CALLERS.flatMap((caller) => MATRIX_KINDS.map((kind) => ({ caller, kind })));

describe.each(cells)('a stream of $kind.title for a caller of $caller.title', ({ caller, kind }) => {
  const faults = [
    ...FAULTS.filter(([what]) => hasStart(kind) || what !== 'begins a second message'),
    ...(kind.kind === 'bedrock' ? [BAD_CHECKSUM] : []),
  ];
  it.each(faults)(
    'a stream that %s never looks complete, and costs what was delivered',
    async (_what, fault) => {
      const scripted = { content: 'A river of ice that flows slowly. '.repeat(20), ...fault };
      gateway.provider.script(scripted, scripted, scripted, scripted);
      const cell = new Cell(caller, kind, gateway, gateway.rawKey);
      const response = await cell.ask(
        { turns: [{ user: [{ text: 'What is a glacier?' }] }] },
        { stream: true },
      );
      const { text } = await readAll(response);
      expect(text).not.toMatch(/\[DONE\]|"finish_reason":"|message_stop|response\.completed/);
      expect(text).toMatch(/upstream_error|api_error|event: error|response\.failed/);
      if (response.status !== 200) return;
      const { units } = await gateway.receiptOf(response);
      // A few words at most: the message has many more.
      expect(units.output_tokens).toBeLessThan(30);
    },
  );
});
