import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type LoadOptions, type Outcome, outcomeSchema } from '../load.ts';
import type { Cluster } from './cluster.ts';

/** About twenty requests a second, one in five a stream of four seconds. */
const USUAL = { workers: { stream: 16, paid: 5, free: 5 }, pauseMs: 550 };

export interface ClusterLoadOptions extends Partial<Pick<LoadOptions, 'workers' | 'pauseMs' | 'words'>> {
  key: string;
}

/** Lets a pod of the cluster send requests to the data planes until `stop`. */
export class ClusterLoad implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #out = '';
  #errors = '';

  /** @param clients the namespace with the pod `client`; `gateway`: that of the data planes */
  constructor(clients: Cluster, gateway: Cluster, { key, ...options }: ClusterLoadOptions) {
    const baseUrl = `http://data-plane.${gateway.namespace}.svc:8080`;
    const load = JSON.stringify({ baseUrl, key, words: 40, ...USUAL, ...options });
    const program = ['node', 'packages/cli/verify/run-load.ts', load];
    const args = ['--namespace', clients.namespace, 'exec', '--stdin', 'client', '--', ...program];
    this.#child = spawn('kubectl', args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdout?.on('data', (chunk) => {
      this.#out += chunk;
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.#errors += chunk;
    });
    this.#ended = once(this.#child, 'close');
  }

  /**
   * Lets requests in progress end, and starts no more.
   * @returns every outcome, with times by the clock of the pod, in milliseconds since 1970
   * @throws when the connection to the pod broke, so that outcomes are missing
   */
  async stop(): Promise<Outcome[]> {
    this.#child.stdin?.end();
    await this.#ended;
    if (this.#child.exitCode !== 0) throw new Error(`the load ended early: ${this.#errors}`);
    return this.#out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => outcomeSchema.parse(JSON.parse(line)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}

/** Returns `p50 12, p99 88, slowest 140 ms`, without streams. */
export function latencies(outcomes: readonly Outcome[]): string {
  const sorted = outcomes
    .filter(({ kind }) => kind !== 'stream')
    .map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs)
    .sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, slowest ${at(1)} ms`;
}
