import { setTimeout as wait } from 'node:timers/promises';
import { type RedisServer, until } from '@model-gateway/test-kit';
import { onNode, slotOf } from '../limits/move-slot.ts';
import { shardOfSlot } from '../limits/start-redis-cluster.ts';
import { type Answer, at, type Load, type Plan, send, startLoad, statusesOf } from './outage-money-load.ts';
import type { ServiceProcess } from './outage-money-process.ts';
import type { MoneyStack } from './outage-money-stack.ts';

export const SHARDS = 3;
const KEYS_PER_SHARD = 2;
/** The number of concurrent requests. */
export const LANES = 12;
const PAUSE_MS = 20;
const CALM_MS = 2_000;
const WINDOW_MS = 60_000;
const SAMPLE_MS = 50;

export interface DrillKey {
  keyId: string;
  rawKey: string;
  slot: number;
  shard: number;
}

interface Period {
  name: string;
  shard: number | undefined;
  fromMs: number;
  toMs: number;
}

/** Load on keys of every shard: those with the default limits are always at their limit. */
export class ClusterLoad implements AsyncDisposable {
  readonly limited: readonly DrillKey[];
  readonly #stack: MoneyStack;
  readonly #keyOf = new Map<Answer, DrillKey>();
  readonly #load: Load;
  readonly #periods: Period[] = [];
  readonly #memory: MemoryWatch;

  constructor(stack: MoneyStack, limited: readonly DrillKey[], rich: readonly DrillKey[]) {
    this.#stack = stack;
    this.limited = limited;
    this.#memory = new MemoryWatch(stack.dataPlanes);
    let sent = 0;
    this.#load = startLoad(LANES, PAUSE_MS, async (lane) => {
      const index = sent++;
      const plan = at(PLANS, lane % PLANS.length);
      const keys = plan === FREE ? limited : rich;
      const key = at(keys, index % keys.length);
      const { port } = at(stack.dataPlanes, Math.floor(Math.random() * stack.dataPlanes.length));
      const answer = await send(port, key.rawKey, plan);
      this.#keyOf.set(answer, key);
      return answer;
    });
  }

  /** @param shard the figures of its keys are separate from those of the others */
  async during(name: string, shard: number | undefined, happening: () => Promise<void>): Promise<void> {
    const fromMs = performance.now();
    await happening();
    await wait(CALM_MS);
    this.#periods.push({ name, shard, fromMs, toMs: performance.now() });
  }

  /** Resolves when every data plane counts in Redis. */
  async untilInRedis(): Promise<void> {
    await until(() => !this.#memory.isAnyInMemory());
  }

  async untilInMemory(): Promise<void> {
    await until(() => this.#memory.areAllInMemory());
  }

  async stop(): Promise<void> {
    await this.#load.stop();
    this.#memory.stop();
  }

  figures(): Record<string, object> {
    return Object.fromEntries(
      this.#periods.map(({ name, shard, fromMs, toMs }) => {
        const answers = this.#load.answers.filter(({ sentAtMs }) => sentAtMs >= fromMs && sentAtMs < toMs);
        const ofShard = (isHit: boolean) =>
          answers.filter((answer) => (this.#keyOf.get(answer)?.shard === shard) === isHit);
        return [
          name,
          {
            seconds: seconds(toMs - fromMs),
            secondsInMemory: this.#memory.secondsInMemory(fromMs, toMs),
            itsKeys: summaryOf(ofShard(true)),
            otherKeys: summaryOf(ofShard(false)),
          },
        ];
      }),
    );
  }

  get statuses(): Record<string, number> {
    return statusesOf(this.#load.answers);
  }

  /**
   * Returns the maximum number of requests served within any minute, for each key with the default limits.
   */
  maxPerMinute(): number[] {
    return this.limited.map((key) => {
      const served = this.#load.answers.filter(
        (answer) => this.#keyOf.get(answer) === key && answer.status === 200,
      );
      return Math.max(
        ...served.map(
          ({ sentAtMs: fromMs }) =>
            served.filter(({ sentAtMs, endedAtMs }) => sentAtMs >= fromMs && endedAtMs <= fromMs + WINDOW_MS)
              .length,
        ),
      );
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** The last lines of the logs, for a failed drill. */
  get logText(): string {
    return this.#stack.dataPlanes.map(({ logText }) => logText.slice(-3_000)).join('\n');
  }
}

const FREE: Plan = { model: 'sim/chat-free', maxTokens: 1 };
const PLANS: readonly Plan[] = [FREE, { maxTokens: 20 }, { maxTokens: 20, streamed: true }];

/** Creates KEYS_PER_SHARD keys for each shard. */
export async function createKeys(
  stack: MoneyStack,
  node: RedisServer,
  options: { defaultLimits: boolean },
): Promise<DrillKey[]> {
  const keys: DrillKey[] = [];
  const ofShard = (shard: number) => keys.filter((key) => key.shard === shard).length;
  while (keys.length < SHARDS * KEYS_PER_SHARD) {
    const { keyId, rawKey } = await stack.createPayer('1000', options);
    const slot = await slotOf(node, keyId);
    const shard = shardOfSlot(slot, SHARDS);
    if (ofShard(shard) < KEYS_PER_SHARD) keys.push({ keyId, rawKey, slot, shard });
  }
  return keys;
}

export async function isMaster(node: RedisServer): Promise<boolean> {
  return await onNode(node, async (client) => (await client.info('replication')).includes('role:master'));
}

/** Returns true if this node sees a working cluster. */
export async function isWhole(node: RedisServer): Promise<boolean> {
  return await onNode(node, async (client) =>
    String(await client.cluster('INFO')).includes('cluster_state:ok'),
  );
}

/** Samples from the logs of the data planes whether they count limits in memory or in Redis. */
export class MemoryWatch implements Disposable {
  readonly #dataPlanes: readonly ServiceProcess[];
  readonly #samples: { atMs: number; inMemory: boolean[] }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(dataPlanes: readonly ServiceProcess[]) {
    this.#dataPlanes = dataPlanes;
    this.#timer = setInterval(
      () => this.#samples.push({ atMs: performance.now(), inMemory: this.#now() }),
      SAMPLE_MS,
    );
  }

  isAnyInMemory(): boolean {
    return this.#now().includes(true);
  }

  areAllInMemory(): boolean {
    return !this.#now().includes(false);
  }

  /** For each data plane. */
  secondsInMemory(fromMs: number, toMs: number): number[] {
    const samples = this.#samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    return this.#dataPlanes.map((_, plane) => {
      const share = samples.filter(({ inMemory }) => inMemory[plane]).length / samples.length;
      return seconds(share * (toMs - fromMs));
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  #now(): boolean[] {
    return this.#dataPlanes.map(
      ({ logText }) =>
        logText.lastIndexOf('limits are counted in memory') >
        logText.lastIndexOf('limits are counted in Redis again'),
    );
  }
}

function summaryOf(answers: readonly Answer[]): object {
  const times = answers.map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs).toSorted((a, b) => a - b);
  return {
    answers: statusesOf(answers),
    medianMs: Math.round(times[Math.floor(times.length / 2)] ?? 0),
    slowestMs: Math.round(times.at(-1) ?? 0),
  };
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
