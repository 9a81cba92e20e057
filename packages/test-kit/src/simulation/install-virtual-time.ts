import { createRequire, syncBuiltinESMExports } from 'node:module';
import {
  countFill,
  currentHost,
  drawRandom,
  monotonicMs,
  restart,
  schedule,
  type Timer,
} from './virtual-time.ts';

const START_MS = Date.UTC(2027, 0, 15, 12);
const RealDate = Date;

/** Replaces clocks, timers and random numbers of this process, for good. */
export function installVirtualTime(): void {
  class VirtualDate extends RealDate {
    constructor(...parts: [] | [number | string | Date]) {
      super(...((parts.length === 0 ? [VirtualDate.now()] : parts) as [number]));
    }
    static override now(): number {
      return Math.floor(START_MS + monotonicMs() + (currentHost()?.clockOffsetMs ?? 0));
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
  // Files are read synchronously: how long the disk takes would differ from run to run.
  const files: Record<'readFileSync' | 'readdirSync', (...to: unknown[]) => unknown> = require('node:fs');
  const cryptography: Record<string, unknown> = require('node:crypto');
  const randomUUID = () => {
    const hex = randomBytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  // As in Node, a timer waits at least 1 ms.
  const timeout = (run: Callback, delayMs = 1, ...values: unknown[]) =>
    new TimerHandle(() => run(...values), Math.max(1, delayMs));
  const interval = (run: Callback, delayMs = 1, ...values: unknown[]) => {
    const periodMs = Math.max(1, delayMs);
    return new TimerHandle(() => run(...values), periodMs, periodMs);
  };
  const immediate = (run: Callback, ...values: unknown[]) => new TimerHandle(() => run(...values), 0);
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
    countFill();
    array.set(randomBytes(array.length));
    return array;
  };
  Object.assign(globalThis.crypto, { randomUUID, getRandomValues });
  // Observers of this process would keep the planes of earlier runs in memory.
  PerformanceObserver.prototype.observe = () => undefined;
  performance.now = monotonicMs;
  Math.random = drawRandom;
  syncBuiltinESMExports();
}

type Callback = (...values: unknown[]) => void;

/** A timer as Node returns it. */
class TimerHandle {
  readonly timer: Timer;
  readonly #delayMs: number;

  constructor(run: () => void, delayMs: number, periodMs?: number) {
    this.timer = schedule(currentHost(), delayMs, run, periodMs);
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
    restart(this.timer, this.#delayMs);
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

function randomBytes(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => Math.floor(drawRandom() * 256)));
}
