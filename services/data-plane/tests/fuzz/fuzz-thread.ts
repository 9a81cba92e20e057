import { parentPort, workerData } from 'node:worker_threads';
import fc from 'fast-check';
import { checkInput, type FuzzedGateway } from './fuzz-target.ts';
import { TARGETS } from './targets/index.ts';

/** Fuzzes one target, or tries one input, in a thread that can be ended when an input hangs. */
export interface FuzzTask {
  target: string;
  seed: number;
  ms: number;
  gateway: FuzzedGateway | undefined;
  /** Receives each input before it is tried: its length in bytes, then its JSON. */
  current: SharedArrayBuffer;
  /** JSON of the one input to try. */
  only?: string;
}

export interface FuzzResult {
  runs: number;
  /** Without the start of the thread. */
  seconds: number;
  /** `recent`: the inputs before it, the last one first. */
  failure?: { json: string; error: string; recent?: string[] };
}

const { current, gateway, ms, only, seed, target: name }: FuzzTask = workerData;
const target = TARGETS.find((one) => one.name === name);
if (target === undefined) throw new Error(`there is no target ${name}`);

const HEAD_BYTES = 8;
const MAX_RECENT = 30;
const encoder = new TextEncoder();
const recent: string[] = [];
const counts = new Int32Array(current, 0, 2);
const bytes = new Uint8Array(current, HEAD_BYTES);

async function attempt(input: unknown): Promise<void> {
  const json = JSON.stringify(input) ?? 'null';
  recent.unshift(json);
  recent.length = Math.min(recent.length, MAX_RECENT);
  const { written } = encoder.encodeInto(json, bytes);
  counts[0] = written;
  Atomics.add(counts, 1, 1);
  if (target !== undefined) await checkInput(target, input, gateway);
}

const inputs = only === undefined ? target.input : fc.constant(JSON.parse(only));
const startedMs = performance.now();
const details = await fc.check(fc.asyncProperty(inputs, attempt), {
  seed,
  numRuns: only === undefined ? Number.MAX_SAFE_INTEGER : 1,
  ...(only === undefined ? { interruptAfterTimeLimit: ms } : {}),
  // At a gateway that has ended, every input fails.
  endOnFailure: target.needsGateway === true,
});
const result: FuzzResult = {
  runs: Atomics.load(counts, 1),
  seconds: (performance.now() - startedMs) / 1_000,
};
if (details.counterexample !== null) {
  const [input] = details.counterexample;
  result.failure = { json: JSON.stringify(input), error: describe(details.errorInstance), recent };
}
parentPort?.postMessage(result);

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? '' : `\ncaused by ${describe(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${cause}`;
}
