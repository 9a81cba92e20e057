import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire, syncBuiltinESMExports } from 'node:module';

/** A machine of the simulation. Its timers and connections end when it crashes. */
export interface Host {
  readonly name: string;
  isUp: boolean;
  /** How far its wall clock is ahead. The monotonic clock of all hosts is the same. */
  clockOffsetMs: number;
  /** Called when it crashes, one for each open connection. */
  readonly onCrash: Set<() => void>;
}

interface Timer {
  /** Undefined: belongs to no host and survives all crashes. */
  host: Host | undefined;
  atMs: number;
  order: number;
  /** Undefined: runs once. */
  periodMs: number | undefined;
  run: () => void;
  isActive: boolean;
}

const START = Date.UTC(2027, 0, 15, 12);
const RealDate = Date;
const realImmediate = setImmediate;
const realTimeout = setTimeout;
const running = new AsyncLocalStorage<Host>();

let isPatient = false;
let nowMs = 0;
let order = 0;
let timers: Timer[] = [];

export function currentHost(): Host | undefined {
  return running.getStore();
}

export function runAs<Result>(host: Host | undefined, work: () => Result): Result {
  return host === undefined ? running.exit(work) : running.run(host, work);
}

/** Returns the milliseconds since the start of the simulation. */
export function monotonicMs(): number {
  return nowMs;
}

/** Returns how many timers the run has started. */
export function countTimers(): number {
  return order;
}

/** Calls `run` later, as `host`, unless that has crashed by then. */
export function schedule(host: Host | undefined, delayMs: number, run: () => void, periodMs?: number): Timer {
  // As in Node, where a delay below 1 ms, or none, is 1 ms. Immediates have 0.
  const timer = { host, atMs: nowMs + Math.max(0, delayMs), order: order++, periodMs, run, isActive: true };
  insert(timer);
  return timer;
}

/** Runs everything that is due until then, each in its turn, and all that follows from it. */
export async function advance(untilMs: number, isDone: () => boolean = () => false): Promise<void> {
  await settled();
  while (!isDone()) {
    const timer = timers.at(-1);
    if (timer === undefined || timer.atMs > untilMs) {
      nowMs = Math.max(nowMs, untilMs);
      return;
    }
    timers.pop();
    if (!timer.isActive || timer.host?.isUp === false) continue;
    nowMs = Math.max(nowMs, timer.atMs);
    if (timer.periodMs === undefined) timer.isActive = false;
    else {
      timer.atMs = nowMs + timer.periodMs;
      timer.order = order++;
      insert(timer);
    }
    runAs(timer.host, timer.run);
    await settled();
  }
}

/** Starts a new run at the same time, with the same random numbers. Timers without a host go on. */
export function restartTime(seed: number): void {
  const kept = timers.filter(({ host, isActive }) => host === undefined && isActive);
  nowMs = 0;
  order = 0;
  timers = [];
  for (const timer of kept) {
    Object.assign(timer, { atMs: timer.periodMs ?? 0, order: order++ });
    insert(timer);
  }
  random = mulberry32(seed);
}

/** Replaces clocks, timers and random numbers of this process, for good. */
export function installVirtualTime(): void {
  class VirtualDate extends RealDate {
    constructor(...parts: [] | [number | string | Date]) {
      super(...((parts.length === 0 ? [VirtualDate.now()] : parts) as [number]));
    }
    static override now(): number {
      return Math.floor(START + nowMs + (currentHost()?.clockOffsetMs ?? 0));
    }
    static override [Symbol.hasInstance](value: unknown): boolean {
      return (
        typeof value === 'object' &&
        value !== null &&
        Object.prototype.isPrototypeOf.call(RealDate.prototype, value)
      );
    }
  }
  const require = createRequire(import.meta.url);
  // Reading a file takes no time here: how long the disk takes would differ from run to run.
  const files: Record<'readFileSync' | 'readdirSync', (...to: unknown[]) => unknown> = require('node:fs');
  const cryptography: Record<string, unknown> = require('node:crypto');
  const randomUUID = () => {
    const hex = randomBytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  const timeout = (run: (...values: unknown[]) => void, delayMs = 1, ...values: unknown[]) =>
    handle(
      schedule(currentHost(), Math.max(1, delayMs), () => run(...values)),
      delayMs,
    );
  const interval = (run: (...values: unknown[]) => void, delayMs = 1, ...values: unknown[]) => {
    const periodMs = Math.max(1, delayMs);
    return handle(
      schedule(currentHost(), periodMs, () => run(...values), periodMs),
      periodMs,
    );
  };
  const immediate = (run: (...values: unknown[]) => void, ...values: unknown[]) =>
    handle(
      schedule(currentHost(), 0, () => run(...values)),
      0,
    );
  const clear = (cleared: unknown) => {
    if (cleared instanceof TimerHandle) cleared.timer.isActive = false;
  };
  const fakes = {
    setTimeout: timeout,
    setInterval: interval,
    setImmediate: immediate,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
  Object.assign(globalThis, fakes, { Date: VirtualDate });
  Object.assign(require('node:timers'), fakes);
  Object.assign(require('node:timers/promises'), { setTimeout: wait });
  Object.assign(require('node:fs/promises'), {
    readFile: async (...to: unknown[]) => files.readFileSync(...to),
    readdir: async (...to: unknown[]) => files.readdirSync(...to),
  });
  Object.assign(cryptography, { randomUUID, randomBytes });
  const getRandomValues = (array: Uint8Array) => {
    fills += 1;
    array.set(randomBytes(array.length));
    return array;
  };
  Object.assign(globalThis.crypto, { randomUUID, getRandomValues });
  // Observers of this process would keep the planes of earlier runs in memory.
  PerformanceObserver.prototype.observe = () => undefined;
  performance.now = monotonicMs;
  Math.random = () => random();
  syncBuiltinESMExports();
}

class TimerHandle {
  readonly timer: Timer;
  readonly #delayMs: number;

  constructor(timer: Timer, delayMs: number) {
    this.timer = timer;
    this.#delayMs = delayMs;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    const { timer } = this;
    timers = timers.filter((each) => each !== timer);
    Object.assign(timer, { atMs: nowMs + this.#delayMs, order: order++, isActive: true });
    insert(timer);
    return this;
  }

  close(): this {
    this.timer.isActive = false;
    return this;
  }

  [Symbol.dispose](): void {
    this.timer.isActive = false;
  }
}

function handle(timer: Timer, delayMs: number): TimerHandle {
  return new TimerHandle(timer, delayMs);
}

function wait<Value>(delayMs = 1, value?: Value, { signal }: { signal?: AbortSignal } = {}): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      timer.isActive = false;
      reject(signal?.reason);
    };
    if (signal?.aborted) return reject(signal.reason);
    const timer = schedule(currentHost(), Math.max(1, delayMs), () => {
      signal?.removeEventListener('abort', abort);
      resolve(value as Value);
    });
    signal?.addEventListener('abort', abort);
  });
}

/** Keeps the timers sorted, the next one last. */
function insert(timer: Timer): void {
  let low = 0;
  let high = timers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = timers[middle];
    if (other === undefined) break;
    const isLater = other.atMs > timer.atMs || (other.atMs === timer.atMs && other.order > timer.order);
    if (isLater) low = middle + 1;
    else high = middle;
  }
  timers.splice(low, 0, timer);
}

/** Waits until nothing is left to do now: promises, ticks, and what streams put off to the next turn. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => realImmediate(resolve));
  if (isPatient) await new Promise((resolve) => realTimeout(resolve, 2));
}

/** Real time passes as well during this work, for what is loaded at its first use. */
export async function withPatience<Result>(work: () => Promise<Result>): Promise<Result> {
  isPatient = true;
  try {
    return await work();
  } finally {
    isPatient = false;
  }
}

let random = mulberry32(0);
/** How often somebody has fetched a stock of random bytes. */
let fills = 0;

/** Draws until the stock is filled anew, so that nothing is left of an earlier run. */
export function useUpStock(draw: () => void): void {
  for (const before = fills; fills === before; ) draw();
}

/** Returns a generator of random numbers below 1. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function randomBytes(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)));
}
