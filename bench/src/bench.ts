import type { Gateway } from './gateway/gateway.ts';
import type {
  ClosedLoopJob,
  ClosedLoopResult,
  LoadResult,
  OpenLoopJob,
  OpenLoopResult,
  StreamsJob,
  StreamsResult,
  Traffic,
} from './load/job.ts';
import type { LoadGenerator } from './load/load-generator.ts';
import type { Plan } from './plan.ts';
import { Findings } from './results/findings.ts';
import type { Target } from './targets/target.ts';

export type BenchOptions = Pick<
  Bench,
  | 'plan'
  | 'load'
  | 'providerUrl'
  | 'gateway'
  | 'direct'
  | 'bare'
  | 'gatewayTarget'
  | 'before'
  | 'peers'
  | 'anchors'
  | 'say'
>;

export interface StreamCounts {
  equal: number;
  different: number;
  brokenOff: number;
}

/** Shared by the parts of the benchmark: the targets, the load generator, and what was sent and found. */
export class Bench extends Findings {
  declare readonly plan: Plan;
  declare readonly load: LoadGenerator;
  declare readonly providerUrl: string;
  declare readonly gateway: Gateway;
  declare readonly direct: Target;
  declare readonly bare: Target;
  declare readonly gatewayTarget: Target;
  /** Another version of the gateway, measured only in the closed loop. */
  declare readonly before: Target | undefined;
  declare readonly peers: readonly Target[];
  /** Programs that are no gateways, measured only in the closed loop. */
  declare readonly anchors: readonly Target[];
  /** Responses of the gateway that must have been recorded. */
  gatewayAnswers = 0;
  /** The requests per second of each target in the closed loop. It cannot hold a higher rate. */
  readonly capacity = new Map<string, number>();
  /** How many streams arrived as the provider sent them, by target of ours. */
  readonly streamCounts = new Map<string, StreamCounts>();

  constructor(options: BenchOptions) {
    super(options.say);
    Object.assign(this, options);
  }

  /** All targets, in the order of a round. */
  get targets(): readonly Target[] {
    const gateways = this.before === undefined ? [this.gatewayTarget] : [this.gatewayTarget, this.before];
    return [this.direct, this.bare, ...gateways, ...this.peers];
  }

  /** The targets of the closed loop. */
  get targetsOfCost(): readonly Target[] {
    return [...this.targets, ...this.anchors];
  }

  /** The targets of parts that measure more than the cost of a request. A quick run omits peers there. */
  get targetsBeyondCost(): readonly Target[] {
    const peers = this.plan.peersBeyondCost ? this.peers : [];
    return [this.direct, this.bare, this.gatewayTarget, ...peers];
  }

  countStreams({ name }: Target, { equal, different, brokenOff }: StreamCounts): void {
    const counts = this.streamCounts.get(name) ?? { equal: 0, different: 0, brokenOff: 0 };
    counts.equal += equal;
    counts.different += different;
    counts.brokenOff += brokenOff;
    this.streamCounts.set(name, counts);
  }

  /** Waits first until all requests so far are settled. Otherwise their settlement would be measured, too. */
  async closedLoop(
    target: Target,
    traffic: Traffic,
    job: Omit<ClosedLoopJob, 'kind' | 'traffic'>,
  ): Promise<ClosedLoopResult> {
    const pid = target.pid === undefined ? {} : { pid: target.pid };
    await this.gateway.settled();
    return this.#record(target, 'closed loop', await this.load.closedLoop({ ...pid, ...job, traffic }));
  }

  async openLoop(
    target: Target,
    traffic: Traffic,
    job: Omit<OpenLoopJob, 'kind' | 'traffic'>,
  ): Promise<OpenLoopResult> {
    const what = `${job.perSecond}/s`;
    await this.gateway.settled();
    return this.#record(target, what, await this.load.openLoop({ ...job, traffic }));
  }

  async streams(
    target: Target,
    traffic: Traffic,
    job: Omit<StreamsJob, 'kind' | 'traffic'>,
  ): Promise<StreamsResult> {
    const pid = target.pid === undefined ? {} : { pid: target.pid };
    await this.gateway.settled();
    const result = await this.load.streams({ ...pid, ...job, traffic });
    return this.#record(target, `${job.streams} streams`, result);
  }

  /** A failure of a target of ours fails the run. A peer's failure is shown with its figures. */
  #record<Result extends LoadResult>(target: Target, what: string, result: Result): Result {
    if (target.isGateway) this.gatewayAnswers += result.answers;
    const found = countText(result.failures);
    if (found !== '') {
      if (target.isOurs) this.assert(`${target.name}, ${what}: every answer is right`, false, found);
      else this.say(`${target.name}, ${what}: ${found} (${result.answers} right)`);
    }
    return result;
  }
}

/** `3 × status 429, 1 × ECONNRESET` */
export function countText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ');
}

/** The failures of all rounds, for tables. */
export function failureText(results: readonly LoadResult[]): string {
  const sums: Record<string, number> = {};
  for (const { failures } of results) {
    for (const [name, count] of Object.entries(failures)) sums[name] = (sums[name] ?? 0) + count;
  }
  return countText(sums) || '0';
}
