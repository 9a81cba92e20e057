/** The size of a run. Times are in milliseconds. */
export interface Plan {
  keys: number;
  accounts: number;
  connections: number;
  /** True if peers are measured in more than the closed loop and the fixed rates. */
  peersBeyondCost: boolean;
  /**
   * `compile`: requests before the first round, because V8 compiles the code of a target only after tens of
   * thousands of them. They are sent in several passes, because the gateway refuses requests when its
   * settlement queue is full.
   */
  closedLoop: {
    compile: { passes: number; requests: number; atMostMs: number };
    rounds: number;
    warmUpMs: number;
    measureMs: number;
  };
  ladder: { rounds: number; warmUpMs: number; measureMs: number };
  wholeGateway: { rounds: number; requests: number; atMostMs: number };
  latency: { rounds: number; rates: readonly number[]; warmUpMs: number; measureMs: number; bare: boolean };
  tails: { rounds: number; perSecond: number; warmUpMs: number; measureMs: number };
  phases: { perSecond: number; warmUpMs: number; measureMs: number };
  streams: { rounds: number; counts: readonly number[]; chunks: number; intervalMs: number };
  passedChunks: { rounds: number; streams: number; intervalMs: number; rampMs: number; seconds: number };
  dialects: { rounds: number; streams: number; chunks: number; intervalMs: number };
  openStreams: { count: number; rampMs: number; seconds: number };
  /**
   * `records`: one minute at 1,000 requests per second, because usage may be summed up only once a minute,
   * and the sums cost less per record the more records they have.
   */
  settling: {
    rounds: number;
    records: number;
    warmUp: number;
    keys: number;
    batch: number;
    payerCounts: readonly number[];
    idleMs: number;
    /** How long to wait until the last minute can be added to its hour and day. */
    untilOverMs: number;
  };
  /** How often each request is sent. */
  usageReads: { times: number };
  /** Sizes of the simulated usage in a filled database. */
  filled: { payers: number; keys: number; models: number };
  /** The `first` requests of a new data plane are compared with the `next` ones. */
  start: { rounds: number; first: number; next: number; perSecond: number };
  /** `connections`, `requests` and `warmUp` (requests): for each data plane. */
  scale: { rounds: number; counts: readonly number[]; connections: number; requests: number; warmUp: number };
  models: { count: number; rounds: number; warmUpMs: number; measureMs: number };
  /** The number of requests whose commands and calls are counted. */
  counted: number;
}

const FULL: Plan = {
  keys: 20_000,
  accounts: 20,
  connections: 64,
  peersBeyondCost: true,
  closedLoop: {
    compile: { passes: 5, requests: 8_000, atMostMs: 3_000 },
    rounds: 7,
    warmUpMs: 200,
    measureMs: 1_600,
  },
  ladder: { rounds: 5, warmUpMs: 200, measureMs: 1_600 },
  wholeGateway: { rounds: 3, requests: 8_000, atMostMs: 5_000 },
  latency: { rounds: 3, rates: [100, 500, 1_000, 2_000], warmUpMs: 500, measureMs: 2_500, bare: true },
  tails: { rounds: 5, perSecond: 1_000, warmUpMs: 500, measureMs: 3_000 },
  phases: { perSecond: 1_000, warmUpMs: 2_000, measureMs: 10_000 },
  streams: { rounds: 2, counts: [50, 500], chunks: 40, intervalMs: 50 },
  passedChunks: { rounds: 3, streams: 200, intervalMs: 20, rampMs: 1_000, seconds: 4 },
  dialects: { rounds: 5, streams: 40, chunks: 200, intervalMs: 10 },
  openStreams: { count: 9_000, rampMs: 10_000, seconds: 10 },
  settling: {
    rounds: 3,
    records: 60_000,
    warmUp: 10_000,
    keys: 20_000,
    batch: 500,
    payerCounts: [20, 10_000],
    idleMs: 5_000,
    untilOverMs: 240_000,
  },
  usageReads: { times: 200 },
  filled: { payers: 20, keys: 20_000, models: 5 },
  start: { rounds: 5, first: 100, next: 1_000, perSecond: 200 },
  scale: { rounds: 3, counts: [1, 2, 4, 8], connections: 16, requests: 2_000, warmUp: 10_000 },
  models: { count: 5_000, rounds: 3, warmUpMs: 4_000, measureMs: 1_500 },
  counted: 2_000,
};

const QUICK_COMPILE = { passes: 1, requests: 6_000, atMostMs: 1_200 };

const QUICK: Plan = {
  ...FULL,
  keys: 4_000,
  accounts: 4,
  peersBeyondCost: false,
  closedLoop: { compile: QUICK_COMPILE, rounds: 2, warmUpMs: 500, measureMs: 1_200 },
  ladder: { rounds: 2, warmUpMs: 200, measureMs: 1_000 },
  latency: { rounds: 1, rates: [100, 1_000], warmUpMs: 300, measureMs: 1_000, bare: false },
  tails: { rounds: 3, perSecond: 1_000, warmUpMs: 300, measureMs: 2_000 },
  phases: { perSecond: 1_000, warmUpMs: 1_000, measureMs: 3_000 },
  streams: { rounds: 1, counts: [50], chunks: 20, intervalMs: 50 },
  passedChunks: { rounds: 1, streams: 100, intervalMs: 20, rampMs: 500, seconds: 2 },
  dialects: { rounds: 1, streams: 40, chunks: 80, intervalMs: 10 },
  openStreams: { count: 1_000, rampMs: 600, seconds: 2 },
  settling: { ...FULL.settling, rounds: 1, records: 20_000, warmUp: 5_000, payerCounts: [20], idleMs: 2_000 },
  start: { rounds: 2, first: 100, next: 400, perSecond: 200 },
  scale: { rounds: 2, counts: [1, 2, 4, 8], connections: 16, requests: 1_000, warmUp: 3_000 },
  models: { count: 5_000, rounds: 1, warmUpMs: 3_000, measureMs: 1_000 },
  counted: 500,
};

/** Proves in seconds that everything works together. Its figures mean nothing. */
const SMOKE: Plan = {
  keys: 200,
  accounts: 2,
  connections: 4,
  peersBeyondCost: false,
  closedLoop: {
    compile: { passes: 1, requests: 200, atMostMs: 50 },
    rounds: 1,
    warmUpMs: 50,
    measureMs: 200,
  },
  ladder: { rounds: 1, warmUpMs: 50, measureMs: 200 },
  wholeGateway: { rounds: 1, requests: 100, atMostMs: 500 },
  latency: { rounds: 1, rates: [50], warmUpMs: 50, measureMs: 200, bare: true },
  tails: { rounds: 1, perSecond: 50, warmUpMs: 50, measureMs: 200 },
  phases: { perSecond: 50, warmUpMs: 50, measureMs: 400 },
  streams: { rounds: 1, counts: [5], chunks: 5, intervalMs: 20 },
  passedChunks: { rounds: 1, streams: 3, intervalMs: 20, rampMs: 50, seconds: 1 },
  dialects: { rounds: 1, streams: 3, chunks: 5, intervalMs: 20 },
  openStreams: { count: 10, rampMs: 50, seconds: 2 },
  settling: {
    rounds: 1,
    records: 200,
    warmUp: 0,
    keys: 200,
    batch: 50,
    payerCounts: [2, 20],
    idleMs: 200,
    untilOverMs: 0,
  },
  usageReads: { times: 10 },
  filled: { payers: 4, keys: 40, models: 2 },
  start: { rounds: 1, first: 10, next: 10, perSecond: 100 },
  scale: { rounds: 1, counts: [1, 2], connections: 4, requests: 100, warmUp: 100 },
  models: { count: 50, rounds: 1, warmUpMs: 50, measureMs: 150 },
  counted: 20,
};

export type Extent = 'full' | 'quick' | 'smoke';

export const PLANS: Record<Extent, Plan> = { full: FULL, quick: QUICK, smoke: SMOKE };
