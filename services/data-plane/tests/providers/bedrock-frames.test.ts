import type { ServerResponse } from 'node:http';
import { simulatedAwsMessage, withGateway, withStarted } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { MATRIX_CALLERS, type MatrixCaller } from '../matrix/callers.ts';
import { eventsOf } from '../matrix/cell.ts';
import { bedrockDocument } from './bedrock.ts';
import { startScriptedProvider } from './scripted-provider.ts';
import { withoutBreakers } from './without-breakers.ts';

/**
 * Streams of a runtime of Bedrock, frame by frame: what is broken in them comes once the words before it
 * have.
 */
const SAID = ['ice ', 'ice ', 'ice '];
const LOST = 'lost '.repeat(1_000);
const runtime = withStarted(() => startScriptedProvider());
const gateway = withGateway(() => ({
  document: () => bedrockDocument(runtime.baseUrl, 'SIMULATED_API_KEY'),
  overrides: withoutBreakers(),
}));

/** How a model writes its answer. */
interface Writing {
  model: string;
  frame(event: object): Buffer;
  start: object[];
  text(text: string): object;
  end: object[];
  unknown: object;
}

const CONVERSE: Writing = {
  model: 'bedrock/nova',
  frame: (event) => {
    const [[type, value] = ['', {}]] = Object.entries(event);
    return simulatedAwsMessage(type, JSON.stringify(value));
  },
  start: [{ messageStart: { role: 'assistant' } }],
  text: (text) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { text } } }),
  end: [
    { contentBlockStop: { contentBlockIndex: 0 } },
    { messageStop: { stopReason: 'end_turn' } },
    { metadata: { usage: { inputTokens: 9, outputTokens: 3, totalTokens: 12 } } },
  ],
  unknown: { newThing: { level: 1 } },
};
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [] };
const CLAUDE: Writing = {
  model: 'bedrock/claude',
  frame: (event) => {
    const bytes = Buffer.from(JSON.stringify(event)).toString('base64');
    return simulatedAwsMessage('chunk', JSON.stringify({ bytes }));
  },
  start: [
    { type: 'message_start', message: { ...MESSAGE, usage: { input_tokens: 9, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ],
  text: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  end: [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ],
  unknown: { type: 'new_thing', level: 1 },
};

type Rest = (res: ServerResponse, writing: Writing) => void;

/** Asks, and once all of SAID has arrived the runtime goes on with the rest. */
async function told(caller: MatrixCaller, writing: Writing, rest: Rest) {
  const { promise: begun, resolve } = Promise.withResolvers<ServerResponse>();
  runtime.respond = (res) => {
    res.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    for (const event of [...writing.start, ...SAID.map(writing.text)]) res.write(writing.frame(event));
    resolve(res);
  };
  const response = await gateway.post(caller.path, {
    ...caller.request({ turns: [{ user: [{ text: 'What is a glacier?' }] }] }),
    model: writing.model,
    stream: true,
  });
  const decoder = new TextDecoder();
  let text = '';
  let isBroken = false;
  let goesOn = false;
  const read = async () => {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (goesOn || !wordsIn(caller, text).endsWith(SAID.join(''))) continue;
      goesOn = true;
      rest(await begun, writing);
    }
  };
  await read().catch(() => {
    isBroken = true;
  });
  return { text, isBroken, receipt: await gateway.receiptOf(response) };
}

/** The words of the events that have come whole. */
function wordsIn(caller: MatrixCaller, text: string): string {
  return caller.textOf(eventsOf(text.slice(0, text.lastIndexOf('\n\n') + 1)));
}

/** One bit is another one. @param at the byte; from the end where it is negative */
function turned(frame: Buffer, at: number): Buffer {
  return Buffer.from(frame.with(at, (frame.at(at) ?? 0) ^ 1));
}

const PRELUDE_CRC_AT = 8;

/** Broken in one place: all that comes after it is as it should be. */
const followed = (broken: (writing: Writing) => Buffer): Rest => {
  return (res, writing) => {
    res.end(Buffer.concat([broken(writing), ...writing.end.map(writing.frame)]));
  };
};

const BROKEN: readonly (readonly [what: string, rest: Rest])[] = [
  [
    'whose prelude has a wrong checksum',
    followed(({ frame, text }) => turned(frame(text(LOST)), PRELUDE_CRC_AT)),
  ],
  ['whose checksum is wrong', followed(({ frame, text }) => turned(frame(text(LOST)), -1))],
  ['whose words were changed', followed(({ frame, text }) => turned(frame(text(LOST)), 1_000))],
  ['that is cut in its middle', (res, { frame, text }) => void res.end(frame(text(LOST)).subarray(0, 2_000))],
  ['that says not what it is', followed(() => simulatedAwsMessage('chunk', '{}', 'oddity'))],
  [
    'that is an exception',
    followed(() => simulatedAwsMessage('throttlingException', '{"message":"too many"}', 'exception')),
  ],
  ['after which nothing comes', (res) => void res.end()],
];

const cells = [CONVERSE, CLAUDE].flatMap((writing) =>
  MATRIX_CALLERS.map((caller) => ({ title: `${writing.model} in ${caller.title}`, writing, caller })),
);

describe.each(cells)('a stream of Bedrock, $title', ({ caller, writing }) => {
  it.each(BROKEN)(
    'a stream with a message %s ends with an error, and costs only what was delivered',
    async (_what, rest) => {
      const { isBroken, receipt, text } = await told(caller, writing, rest);
      expect(text).toContain(caller.failureMark);
      expect(text).not.toContain(caller.endMark);
      expect(isBroken).toBe(true);
      expect(wordsIn(caller, text)).toBe(SAID.join(''));
      // A word is a token, or a token and its space.
      expect(receipt.units.output_tokens).toBeGreaterThan(0);
      expect(receipt.units.output_tokens).toBeLessThanOrEqual(2 * SAID.length);
    },
  );

  it('a stream with an unknown event goes on, and costs what the provider counted', async () => {
    const { isBroken, receipt, text } = await told(caller, writing, (res, { end, frame, unknown }) => {
      for (const event of [unknown, ...end]) res.write(frame(event));
      res.end();
    });
    expect(isBroken).toBe(false);
    expect(text).toContain(caller.endMark);
    expect(receipt).toMatchObject({
      usage_source: 'provider',
      units: { input_tokens: 9, output_tokens: 3 },
    });
  });
});
