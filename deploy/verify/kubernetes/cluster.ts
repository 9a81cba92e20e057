import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { type CommandResult, run, tryCommand } from '../command.ts';

const terminated = z.object({ exitCode: z.number(), reason: z.string().optional() });
const pod = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.object({ nodeName: z.string().optional() }),
  status: z.object({
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    containerStatuses: z
      .array(
        z.object({
          restartCount: z.number(),
          state: z.object({ terminated: terminated.optional() }).default({}),
        }),
      )
      .default([]),
  }),
});
export type Pod = z.infer<typeof pod>;
const pods = z.object({ items: z.array(pod) });
const nodes = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({ unschedulable: z.boolean().default(false) }),
    }),
  ),
});

const POLL_MS = 500;

/** A namespace of the cluster of KUBECONFIG. */
export class Cluster {
  readonly namespace: string;
  readonly #signal: AbortSignal;

  /** @param signal ends running commands */
  constructor(namespace: string, signal: AbortSignal) {
    this.namespace = namespace;
    this.#signal = signal;
  }

  /** Runs `kubectl` in this namespace. @returns what it prints. @throws when it fails */
  kubectl(...args: string[]): Promise<string> {
    return run('kubectl', ['--namespace', this.namespace, ...args], { signal: this.#signal });
  }

  tryKubectl(...args: string[]): Promise<CommandResult> {
    return tryCommand('kubectl', ['--namespace', this.namespace, ...args], { signal: this.#signal });
  }

  /** Returns the pods of a service, oldest first, without terminating ones. */
  async pods(name: string): Promise<Pod[]> {
    return (await this.allPods(name)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** As `pods`, with terminating ones. */
  async allPods(name: string): Promise<Pod[]> {
    const args = ['get', 'pods', '--selector', `app.kubernetes.io/name=${name}`];
    const found = await this.kubectl(...args, '--sort-by', '.metadata.creationTimestamp', '--output', 'json');
    return pods.parse(JSON.parse(found)).items;
  }

  /** Returns a ready pod of a service. @throws when there is none */
  async readyPod(name: string): Promise<Pod> {
    const found = (await this.pods(name)).find(isReady);
    if (found === undefined) throw new Error(`no pod of ${name} is ready`);
    return found;
  }

  /** Waits until a service has exactly `replicas` pods, all ready. @throws after `timeoutMs` */
  async untilReplicas(name: string, replicas: number, timeoutMs: number): Promise<void> {
    await this.until(`${replicas} ready pods of ${name}`, timeoutMs, async () => {
      const all = await this.allPods(name);
      return all.length === replicas && all.every(isReady);
    });
  }

  /** Waits until `condition` returns true. @throws after `timeoutMs` */
  async until(what: string, timeoutMs: number, condition: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!(await condition())) {
      if (performance.now() > deadline) throw new Error(`not within ${timeoutMs / 1_000} s: ${what}`);
      await wait(POLL_MS, undefined, { signal: this.#signal });
    }
  }

  /** Sets the bounds of an autoscaler. */
  async allowReplicas(name: string, minReplicas: number, maxReplicas: number): Promise<void> {
    const patch = JSON.stringify({ spec: { minReplicas, maxReplicas } });
    await this.kubectl('patch', 'hpa', name, '--type', 'merge', '--patch', patch);
  }

  /** Returns the schedulable nodes. */
  async nodes(): Promise<string[]> {
    const found = nodes.parse(JSON.parse(await this.kubectl('get', 'nodes', '--output', 'json'))).items;
    return found.filter(({ spec }) => !spec.unschedulable).map(({ metadata }) => metadata.name);
  }
}

function isReady({ metadata, status }: Pod): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  );
}
