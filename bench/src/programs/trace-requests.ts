// Loaded into a data plane with `--import`: records when each request enters a phase, from the diagnostics
// channels of Node, undici and ioredis. The gateway itself has no code for it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, tracingChannel } from 'node:diagnostics_channel';
import { IncomingMessage } from 'node:http';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import { z } from 'zod';
import { sharedClockUs } from '../wire/answer-plan.ts';
import {
  type GatewayStamps,
  type GatewayTrace,
  REQUEST_HEADER,
  TIMES_HEADER,
  TRACE,
} from '../wire/stamps.ts';

type Stamps = Partial<GatewayStamps>;

const clockStartUs = sharedClockUs() - performance.now() * 1_000;
const current = new AsyncLocalStorage<Stamps>();
/** The stamps of requests to the gateway, of requests to providers, and of Redis commands. */
const stampsOf = new WeakMap<object, Stamps>();
let requests: Record<string, Stamps> = {};
let pauses: [number, number][] = [];
const loopDelay = monitorEventLoopDelay({ resolution: 1 });
loopDelay.enable();

subscribe('http.server.request.start', (message) => {
  const request = requestOf(message);
  const number = request instanceof IncomingMessage ? request.headers[REQUEST_HEADER] : undefined;
  if (typeof number !== 'string') return;
  const stamps: Stamps = { arrived: sharedClockUs() };
  requests[number] = stamps;
  stampsOf.set(request, stamps);
  // Node emits `request` in this same context.
  current.enterWith(stamps);
});
subscribe('http.server.response.finish', (message) => stampRequest(message, 'finished'));

subscribe('undici:request:create', (message) => {
  const stamps = current.getStore();
  if (stamps !== undefined) stampsOf.set(requestOf(message), stamps);
});
subscribe('undici:client:sendHeaders', (message) => stampRequest(message, 'upstreamSent'));
subscribe('undici:request:headers', (message) => {
  const stamps = stampRequest(message, 'upstreamHead');
  if (stamps === undefined) return;
  const { response } = z.object({ response: z.object({ headers: z.unknown() }) }).parse(message);
  Object.assign(stamps, timesIn(response.headers));
});

tracingChannel('ioredis:command').subscribe({
  start: (command) => {
    const stamps = current.getStore();
    if (stamps === undefined || stamps.redisSent !== undefined) return;
    stamps.redisSent = sharedClockUs();
    stampsOf.set(command, stamps);
  },
  asyncEnd: (command) => {
    const stamps = stampsOf.get(command);
    if (stamps !== undefined) stamps.redisDone = sharedClockUs();
  },
  end: () => undefined,
  asyncStart: () => undefined,
  error: () => undefined,
});

new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    const startUs = clockStartUs + startTime * 1_000;
    pauses.push([startUs, startUs + duration * 1_000]);
  }
}).observe({ entryTypes: ['gc'] });

process.on('message', (message) => {
  if (message !== TRACE) return;
  const [p50, p99] = [50, 99].map((percentile) => loopDelay.percentile(percentile) / 1e6);
  const max = loopDelay.max / 1e6;
  process.send?.({
    requests,
    pauses,
    loopDelay: { p50: p50 ?? max, p99: p99 ?? max, max },
  } satisfies GatewayTrace);
  requests = {};
  pauses = [];
  loopDelay.reset();
});

function stampRequest(message: unknown, name: keyof GatewayStamps): Stamps | undefined {
  const stamps = stampsOf.get(requestOf(message));
  if (stamps !== undefined) stamps[name] = sharedClockUs();
  return stamps;
}

function requestOf(message: unknown): object {
  return z.object({ request: z.custom<object>() }).parse(message).request;
}

/** Undici passes headers as names and values in turn. */
function timesIn(headers: unknown): Pick<Stamps, 'providerGot' | 'providerSent'> {
  const list = Array.isArray(headers) ? headers.map(String) : [];
  const times = list[list.indexOf(TIMES_HEADER) + 1] ?? '';
  const [providerGot = Number.NaN, providerSent = Number.NaN] = times.split('-').map(Number);
  return { providerGot, providerSent };
}
