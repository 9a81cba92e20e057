import { describe, expect, it } from 'vitest';
import { type StopSignal, StopSwitch } from './stop-switch.ts';

/** Records what a signal tells its listeners. */
function heard({ signal, abort }: { signal: StopSignal; abort: (reason: unknown) => void }) {
  const calls: string[] = [];
  const listener = (name: string) => () => void calls.push(`${name} ${signal.aborted} ${signal.reason}`);
  const gone = listener('gone');
  const last = listener('last');
  signal.throwIfAborted();
  signal.addEventListener('abort', gone);
  signal.addEventListener('abort', listener('first'));
  signal.addEventListener('abort', () => signal.removeEventListener('abort', last));
  signal.addEventListener('abort', last);
  signal.removeEventListener('abort', gone);
  signal.removeEventListener('abort', listener('never added'));
  abort('one');
  abort('another');
  signal.addEventListener('abort', listener('late'));
  return { calls, aborted: signal.aborted, reason: signal.reason };
}

describe('a switch that stops a request', () => {
  it('tells its listeners what an AbortController would tell them', () => {
    const controller = new AbortController();
    const stop = new StopSwitch();
    const expected = heard({ signal: controller.signal, abort: (reason) => controller.abort(reason) });
    expect(heard({ signal: stop.signal, abort: (reason) => stop.abort(reason) })).toEqual(expected);
    expect(expected).toEqual({ calls: ['first true one'], aborted: true, reason: 'one' });
  });

  it('throws its reason from then on', () => {
    const stop = new StopSwitch();
    const reason = new Error('the client has left');
    stop.abort(reason);
    expect(() => stop.signal.throwIfAborted()).toThrow(reason);
  });
});
