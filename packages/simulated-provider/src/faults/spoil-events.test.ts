import { describe, expect, it } from 'vitest';
import type { SseEvent } from '../answers/sse-event.ts';
import { OPENAI } from '../protocols/openai.ts';
import type { Fault } from './fault-schema.ts';
import { spoilEvents } from './spoil-events.ts';

function* events(): Generator<SseEvent> {
  for (const data of ['1', '2', '3', '[DONE]']) yield { data };
}

function textOf(fault: Fault): string {
  const pieces = spoilEvents(events(), fault, OPENAI.stream);
  return Array.from(pieces, ({ content }) => content).join('');
}

describe('an event stream', () => {
  it('without a fault is one data line and one blank line per event', () => {
    expect(textOf({})).toBe('data: 1\n\ndata: 2\n\ndata: 3\n\ndata: [DONE]\n\n');
  });

  it.each<[Fault, string]>([
    [{ sse: 'crlf' }, 'data: 1\r\n\r\ndata: 2\r\n\r\ndata: 3\r\n\r\ndata: [DONE]\r\n\r\n'],
    [{ sse: 'no_blank_line' }, 'data: 1\n\ndata: 2\n\ndata: 3\n\ndata: [DONE]\n'],
    [{ sse: 'done_twice' }, 'data: 1\n\ndata: 2\n\ndata: 3\n\ndata: [DONE]\n\ndata: [DONE]\n\n'],
    [{ sse: 'no_done' }, 'data: 1\n\ndata: 2\n\ndata: 3\n\n'],
    [{ sse: 'start_twice' }, 'data: 1\n\ndata: 1\n\ndata: 2\n\ndata: 3\n\ndata: [DONE]\n\n'],
    [{ rubbish: 'bad_chunk' }, 'data: 1\n\ndata: 2\n\ndata: {not json\n\ndata: 3\n\ndata: [DONE]\n\n'],
  ])('with the fault %j has exactly these bytes', (fault, text) => {
    expect(textOf(fault)).toBe(text);
  });

  it('ends with the error event of a fault', () => {
    expect(textOf({ sse: 'error_event' })).toMatch(/^data: 1\n\ndata: 2\n\ndata: \{"error":\{.*\}\}\n\n$/);
  });

  it('with comments still has all its events', () => {
    const text = textOf({ sse: 'comments' });
    expect(text).toContain(': simulated comment');
    expect(text.match(/^data: .*/gm)).toEqual(['data: 1', 'data: 2', 'data: 3', 'data: [DONE]']);
  });

  it('with a huge line is a hundred megabytes in one event', () => {
    let bytes = 0;
    let count = 0;
    for (const { content, isEvent } of spoilEvents(events(), { sse: 'huge_line' }, OPENAI.stream)) {
      bytes += content.length;
      if (isEvent) count += 1;
    }
    expect(bytes).toBeGreaterThan(100 * 1024 * 1024);
    expect(count).toBe(5);
  });
});
