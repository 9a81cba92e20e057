import { MODEL, TIME_MARK } from './answer-plan.ts';
import { filler } from './request-body.ts';
import { CHAT_USAGE, TIME_DIGITS } from './streamed-answers.ts';

/** Creates a chat completion of an exact length, serialized by JSON.stringify. */
export function fixedCompletion(bytes: number): Buffer {
  const withText = (content: string) =>
    JSON.stringify({
      id: 'chatcmpl-bench',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: MODEL,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: CHAT_USAGE,
    });
  return Buffer.from(withText(filler(Math.max(0, bytes - withText('').length))));
}

/** Returns the times in received bytes, in order. */
export function timesIn(received: Buffer): number[] {
  const times: number[] = [];
  let from = 0;
  for (;;) {
    const start = received.indexOf(TIME_MARK, from);
    if (start < 0) return times;
    const end = start + 1 + TIME_DIGITS;
    // The network may cut a chunk inside its time, which is then the last one.
    if (received[end] !== TIME_MARK.charCodeAt(0)) return times;
    times.push(Number(received.toString('latin1', start + 1, end)));
    from = end + 1;
  }
}
