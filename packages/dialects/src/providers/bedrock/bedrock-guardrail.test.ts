import { describe, expect, it } from 'vitest';
import { guardedEvents } from './bedrock-guardrail.ts';

const DELTA = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Sorry."}}';
const ended = (stop_reason: string) =>
  JSON.stringify({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 3 } });
const STOP = '{"type":"message_stop"}';
const INTERVENED = '{"type":"message_stop","amazon-bedrock-guardrailAction":"INTERVENED"}';
const NOT_INTERVENED = '{"type":"message_stop","amazon-bedrock-guardrailAction":"NONE"}';

/** Returns the result of events that arrive one by one. */
function told(events: readonly string[]): string[] {
  const framing = { contentType: /./, parser: () => ({ push: (chunk: Buffer) => [chunk.toString()] }) };
  const parser = guardedEvents(framing).parser(undefined);
  return events.flatMap((event) => parser.push(Buffer.from(event)));
}

describe('the events of a stream with a guardrail', () => {
  it.each([
    ['its last event', [DELTA, ended('end_turn'), INTERVENED]],
    ['its stop reason', [DELTA, ended('guardrail_intervened'), STOP]],
    [
      'an event before',
      [DELTA.replace('{', '{"amazon-bedrock-guardrailAction":"INTERVENED",'), ended('end_turn'), STOP],
    ],
  ])('end with a refusal if %s reports an intervention', (_where, events) => {
    expect(told(events)).toEqual([events[0], ended('refusal'), events[2]]);
  });

  it.each([[[DELTA, ended('tool_use'), NOT_INTERVENED]], [[DELTA, ended('end_turn'), STOP]]])(
    'pass as they came where it has not: %j',
    (events) => {
      expect(told(events)).toEqual(events);
    },
  );

  it('do not end if only a text mentions an intervention', () => {
    const quoted = DELTA.replace('Sorry.', '{\\"amazon-bedrock-guardrailAction\\":\\"INTERVENED\\"}');
    expect(told([quoted, ended('end_turn'), STOP])).toEqual([quoted, ended('end_turn'), STOP]);
  });
});
