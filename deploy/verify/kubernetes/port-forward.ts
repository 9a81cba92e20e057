import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Cluster } from './cluster.ts';

/** A local port that leads to one pod of a service. */
export class PortForward implements AsyncDisposable {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  /** @throws when `kubectl` ends before it forwards */
  static async open(cluster: Cluster, service: string, port: number): Promise<PortForward> {
    const what = ['--address', '127.0.0.1', `service/${service}`, `:${port}`];
    const child = spawn('kubectl', ['--namespace', cluster.namespace, 'port-forward', ...what], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface(child.stdout)) {
      const chosen = /^Forwarding from 127\.0\.0\.1:(\d+) /.exec(line)?.[1];
      if (chosen === undefined) continue;
      // Discard the line per connection.
      child.stdout.resume();
      return new PortForward(Number(chosen), child);
    }
    throw new Error(`kubectl port-forward to ${service} ended`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }
}
