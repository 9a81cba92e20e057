import { MODEL, TIME_MARK } from './answer-plan.ts';
import { eventWithTime, TIME_DIGITS } from './event-with-time.ts';
import { filler } from './request-body.ts';

const USAGE = { prompt_tokens: 200, completion_tokens: 20, total_tokens: 220 };

/** Makes a chat completion of an exact length, written as JSON.stringify writes it. */
export function fixedCompletion(bytes: number): Buffer {
  const withText = (content: string) =>
    JSON.stringify({
      id: 'chatcmpl-bench',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: MODEL,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: USAGE,
    });
  return Buffer.from(withText(filler(Math.max(0, bytes - withText('').length))));
}

/** Finds the times in what a client has received. @returns the times, in their order */
export function timesIn(received: Buffer): number[] {
  const times: number[] = [];
  let from = 0;
  for (;;) {
    const start = received.indexOf(TIME_MARK, from);
    if (start < 0) return times;
    const end = start + 1 + TIME_DIGITS;
    // The network may cut a chunk in the middle of its time: then there is no further complete time.
    if (received[end] !== TIME_MARK.charCodeAt(0)) return times;
    times.push(Number(received.toString('latin1', start + 1, end)));
    from = end + 1;
  }
}

/** Events after the last chunk: the finish reason, the usage, [DONE]. */
export const STREAM_END = [
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: USAGE },
]
  .map((fields) => `data: ${JSON.stringify(chunk(fields))}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('');

export const chunkAt = eventWithTime((time) => {
  const delta = { content: `${TIME_MARK}${time}${TIME_MARK} words` };
  return `data: ${JSON.stringify(chunk({ choices: [{ index: 0, delta, finish_reason: null }] }))}\n\n`;
});

function chunk(fields: object): object {
  return {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: MODEL,
    ...fields,
  };
}
