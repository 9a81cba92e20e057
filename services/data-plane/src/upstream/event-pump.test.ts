import { setTimeout as wait } from 'node:timers/promises';
import type { EventTranslator } from '@model-gateway/dialects';
import { StopSwitch } from '@model-gateway/service-kit';
import { expect, it } from 'vitest';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type { AnswerEvents } from '../http/answer-events.ts';
import { ClientGone } from '../http/exchange.ts';
import { EventPump } from './event-pump.ts';
import { UpstreamAnswer } from './upstream-answer.ts';
import { UpstreamCall } from './upstream-call.ts';

const IDLE_MS = 20;
const provider = { id: 'provider', timeouts: { idleMs: IDLE_MS } } as RoutedProvider;
const controller = {
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

/** Passes `data: ping` to nobody, and everything else to the client. */
const translator: EventTranslator = {
  translate: (data) => ({ text: data === 'ping' ? '' : `data: ${data}\n\n`, done: data === 'end' }),
  mayEnd: false,
  rest: '',
};

function start() {
  const stop = new StopSwitch();
  const answer = new UpstreamAnswer();
  const call = new UpstreamCall(stop.signal);
  const attempt = {
    providerId: provider.id,
    upstreamModel: 'model',
    credentialEnv: undefined,
    streamed: true,
    startedAtMs: performance.now(),
  };
  const current = { attempt, call, provider, credential: undefined, secrets: [] };
  const writer: AnswerEvents = {
    source: undefined,
    hasBegun: true,
    send: () => undefined,
    end: () => undefined,
    breakOff: () => undefined,
    stop: () => undefined,
  };
  const pump = new EventPump({ stop, writer, cover: undefined, translator, answer, current });
  const last = pump.run();
  const arrive = (text: string) => answer.onResponseData(controller, Buffer.from(text));
  /** True once the provider's silence has ended the call. */
  const hasTimedOut = () => !(call.failure(new ClientGone()) instanceof ClientGone);
  return { arrive, hasTimedOut, last, pump };
}

it('a provider has no timeout while the client is behind, also if a chunk still arrives', async () => {
  const { arrive, hasTimedOut, last, pump } = start();
  arrive('data: a\n\n');
  pump.pause();
  arrive('data: ping\n\n');
  await wait(10 * IDLE_MS);
  expect(hasTimedOut()).toBe(false);
  pump.resume();
  await expect.poll(hasTimedOut).toBe(true);
  arrive('data: end\n\n');
  expect(await last).toBe('data: end\n\n');
});
