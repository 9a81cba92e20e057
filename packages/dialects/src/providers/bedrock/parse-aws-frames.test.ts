import { EventStreamCodec } from '@smithy/core/event-streams';
import { describe, expect, it } from 'vitest';
import { VERDICTS } from '../../failures/verdicts.ts';
import { BrokenEventStream } from '../../interfaces/event-framing.ts';
import { awsEvents, loadEventStreams } from './aws-event-stream.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);
const text = (value: string) => ({ type: 'string' as const, value });

function message(headers: Record<string, string>, json: string | Buffer): Buffer {
  const written = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, text(value)]));
  return Buffer.from(codec.encode({ headers: written, body: Buffer.from(json) }));
}

const event = (json: string | Buffer) => message({ ':message-type': 'event', ':event-type': 'said' }, json);

async function parser(maxEventBytes?: number) {
  await loadEventStreams();
  const framing = awsEvents({
    event: (type, json) => `${type} ${json}`,
    exception: (exception) => JSON.stringify(exception),
  });
  return framing.parser(maxEventBytes);
}

describe('an event stream of AWS', () => {
  it('has the same messages for any chunks', async () => {
    const bytes = Buffer.concat([event('{"é":1}'), event('{}'), event(`"${'x'.repeat(3_000)}"`)]);
    const told = ['said {"é":1}', 'said {}', `said "${'x'.repeat(3_000)}"`];
    for (const size of [1, 7, 16, 1_000, bytes.length]) {
      const cut = await parser();
      const events = [];
      for (let at = 0; at < bytes.length; at += size) events.push(...cut.push(bytes.subarray(at, at + size)));
      expect(events).toEqual(told);
    }
  });

  it('fails for any flipped bit as soon as the message is complete', async () => {
    const bytes = event('{"text":"hello"}');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const turned = Buffer.from(bytes);
      turned.writeUInt8(turned.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const strict = await parser();
      expect(() => strict.push(turned), `bit ${bit}`).toThrow(BrokenEventStream);
    }
  });

  it('fails for an incomplete character', async () => {
    const strict = await parser();
    const whole = Buffer.from('{"text":"é"}');
    const half = Buffer.concat([whole.subarray(0, 10), whole.subarray(11)]);
    expect(strict.push(event(whole))).toEqual(['said {"text":"é"}']);
    expect(() => strict.push(event(half))).toThrow();
  });

  it("reports exceptions and errors with the provider's message", async () => {
    const strict = await parser();
    const exception = { ':message-type': 'exception', ':exception-type': 'throttlingException' };
    const error = { ':message-type': 'error', ':error-code': 'Internal', ':error-message': 'broken' };
    expect(strict.push(message(exception, '{"message":"too many"}'))).toEqual([
      '{"type":"throttlingException","message":"too many"}',
    ]);
    expect(strict.push(message(error, ''))).toEqual(['{"type":"Internal","message":"broken"}']);
  });

  it('fails for a message above the size limit', async () => {
    const strict = await parser(100);
    const tooLong = {
      verdict: VERDICTS.caused_by_request,
      cause: new Error('a message is longer than 100 bytes'),
    };
    expect(() => strict.push(event(`"${'x'.repeat(200)}"`))).toThrow(expect.objectContaining(tooLong));
  });
});
