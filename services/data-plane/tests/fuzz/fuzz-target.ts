import type fc from 'fast-check';

/** The gateway that the targets with `needsGateway` call. */
export interface FuzzedGateway {
  port: number;
  rawKey: string;
}

/** Random inputs for a parser or a route, and the check that each must pass. */
export interface FuzzTarget<Input = unknown> {
  /** Also the name of its folder in the corpus. */
  name: string;
  /** Plain JSON, so that a failing input can be kept. Bytes are strings of latin1. */
  input: fc.Arbitrary<Input>;
  /** @throws Error if something does not hold */
  check(input: Input, gateway: FuzzedGateway): void | Promise<void>;
  /** Set if `check` sends requests to a gateway. */
  needsGateway?: true;
  /** The longest time that one input may take. Default: MAX_MS. */
  maxMs?: number;
}

/** Far above what any input of these sizes needs, also on a busy machine. */
const MAX_MS = 2_000;

class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/** @throws what `check` throws; TooSlow */
export async function checkInput(
  target: FuzzTarget,
  input: unknown,
  gateway: FuzzedGateway | undefined,
): Promise<void> {
  const started = process.cpuUsage();
  const startedMs = performance.now();
  await target.check(input, gateway ?? NO_GATEWAY);
  const { maxMs = MAX_MS, needsGateway } = target;
  const { system, user } = process.cpuUsage(started);
  // For a parser use CPU time, which a busy machine does not change. A gateway is another process.
  const took = needsGateway === true ? performance.now() - startedMs : (user + system) / 1_000;
  if (took > maxMs) throw new TooSlow(`took ${Math.round(took)} ms`);
}

const NO_GATEWAY: FuzzedGateway = { port: 0, rawKey: '' };

export function require(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Error(problem);
}

const MARK = /number [0-9a-f]{8}-[0-9a-f]{4}-/;

/** Returns true for text with the mark of exact numbers, which the gateway uses internally. */
export function hasMark(text: string): boolean {
  return MARK.test(text);
}
