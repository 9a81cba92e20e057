import { BrokenEventStream } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { simulatedAwsMessage } from '@model-gateway/test-kit';
import fc from 'fast-check';
import { chatAt, kindNamed, requestAt, translatorOf } from '../chats.ts';
import { type FuzzTarget, require } from '../fuzz-target.ts';
import { chunkSizes, cutInto, mutatedText } from '../mutate.ts';

const messages = [
  simulatedAwsMessage('messageStart', '{"role":"assistant"}'),
  simulatedAwsMessage('contentBlockDelta', '{"contentBlockIndex":0,"delta":{"text":"\u00e9"}}'),
  simulatedAwsMessage('throttlingException', '{"message":"slow down"}', 'exception'),
];
const SEEDS = [Buffer.concat(messages), ...messages].map((bytes) => bytes.toString('latin1'));
const TOKENS = [
  '\0\0\0\0',
  '\0\0\0\u0010',
  '\u00ff\u00ff\u00ff\u00ff',
  ':event-type',
  ':message-type',
  ...SEEDS,
];

interface Input {
  /** Latin1. */
  stream: string;
  sizes: number[];
}

/** The framing of Bedrock's event streams: however they are cut, the same events or the same failure. */
export const awsFrames: FuzzTarget<Input> = {
  name: 'aws-frames',
  input: fc.record({ stream: mutatedText(SEEDS, TOKENS), sizes: chunkSizes }),
  async check({ stream, sizes }) {
    const chat = chatAt('chat-completions');
    const converse = kindNamed('converse');
    await requestAt(chat, converse);
    const { framing } = translatorOf(chat, converse);
    const bytes = Buffer.from(stream, 'latin1');
    const parse = (chunks: readonly Buffer[]) => {
      const parser = framing?.parser(undefined);
      const events: string[] = [];
      try {
        for (const chunk of chunks) events.push(...(parser?.push(chunk) ?? []));
        return { events };
      } catch (thrown) {
        const isKnown = thrown instanceof BrokenEventStream || thrown instanceof GatewayError;
        // A body that is no UTF-8 in a message with a right checksum.
        require(isKnown || thrown instanceof TypeError, `${thrown}`);
        return { broken: String(thrown) };
      }
    };
    const whole = parse([bytes]);
    const cut = parse(cutInto(bytes, sizes));
    const single = parse(cutInto(bytes, [1]));
    require(JSON.stringify(cut) ===
      JSON.stringify(single), `cut ${JSON.stringify(cut)}, single ${JSON.stringify(single)}`);
    require('broken' in whole === 'broken' in single, 'whether a stream is broken depends on how it is cut');
    if ('events' in whole) require(JSON.stringify(whole) === JSON.stringify(single), 'other events');
  },
};
