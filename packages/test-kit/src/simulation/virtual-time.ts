import { AsyncLocalStorage } from 'node:async_hooks';

/** A machine of the simulation. Its timers and connections end when it crashes. */
export interface Host {
  readonly name: string;
  isUp: boolean;
  /** How far its wall clock is ahead. The monotonic clock of all hosts is the same. */
  clockOffsetMs: number;
  /** Called when it crashes, one for each open connection. */
  readonly onCrash: Set<() => void>;
}

export interface Timer {
  /** Undefined: belongs to no host and survives all crashes. */
  host: Host | undefined;
  atMs: number;
  order: number;
  /** Undefined: runs once. */
  periodMs: number | undefined;
  run: () => void;
  isActive: boolean;
}

const realImmediate = setImmediate;
const realTimeout = setTimeout;
const running = new AsyncLocalStorage<Host>();

let usesRealTime = false;
let nowMs = 0;
let order = 0;
let timers: Timer[] = [];

/** Returns the host whose code is running; undefined: that of no host. */
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

/** Calls `run` later, as `host`, unless that has crashed by then. */
export function schedule(host: Host | undefined, delayMs: number, run: () => void, periodMs?: number): Timer {
  const timer = { host, atMs: nowMs + Math.max(0, delayMs), order: order++, periodMs, run, isActive: true };
  insert(timer);
  return timer;
}

/** Runs all timers that are due until then, in order, and what follows from each before the next one. */
export async function advance(untilMs: number, isDone: () => boolean = () => false): Promise<void> {
  await untilIdle();
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
    await untilIdle();
  }
}

/** Runs work as this host, and lets time pass until it has ended. */
export async function runToEnd<Result>(host: Host, work: () => Promise<Result>): Promise<Result> {
  let outcome: (() => Result) | undefined;
  runAs(host, work).then(
    (result) => {
      outcome = () => result;
    },
    (error: unknown) => {
      outcome = () => {
        throw error;
      };
    },
  );
  await advance(monotonicMs() + 120_000, () => outcome !== undefined);
  if (outcome === undefined) throw new Error(`work of ${host.name} does not end`);
  return outcome();
}

/** Starts a new run: time begins at 0, random numbers with the seed. Timers without a host continue. */
export function restartTime(seed: number): void {
  const remaining = timers.filter(({ host, isActive }) => host === undefined && isActive);
  nowMs = 0;
  order = 0;
  timers = [];
  for (const timer of remaining) {
    Object.assign(timer, { atMs: timer.periodMs ?? 0, order: order++ });
    insert(timer);
  }
  random = mulberry32(seed);
}

/** Makes a timer run after this delay instead. */
export function restart(timer: Timer, delayMs: number): void {
  timers = timers.filter((each) => each !== timer);
  Object.assign(timer, { atMs: nowMs + delayMs, order: order++, isActive: true });
  insert(timer);
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

/** Waits until all promises and ticks have run. */
async function untilIdle(): Promise<void> {
  await new Promise((resolve) => realImmediate(resolve));
  if (usesRealTime) await new Promise((resolve) => realTimeout(resolve, 2));
}

/** Lets real time pass as well during this work, for modules that load at their first use. */
export async function withRealTime<Result>(work: () => Promise<Result>): Promise<Result> {
  usesRealTime = true;
  try {
    return await work();
  } finally {
    usesRealTime = false;
  }
}

/** Returns the next random number of this run, below 1. */
export function drawRandom(): number {
  return random();
}

/** Call this when a buffer of random bytes is filled. */
export function countFill(): void {
  fills += 1;
}

let random = mulberry32(0);
/** How often a buffer of random bytes was filled. */
let fills = 0;

/** Draws until the buffer is filled again, so that no random bytes of an earlier run are left in it. */
export function drainBuffer(draw: () => void): void {
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
