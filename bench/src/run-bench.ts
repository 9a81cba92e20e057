import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '@model-gateway/database/embedded-postgres';
import type { Environment } from '@model-gateway/service-kit';
import { Bench } from './bench.ts';
import { Gateway } from './gateway/gateway.ts';
import { warmKeys } from './gateway/warm-keys.ts';
import { measureGrowth } from './growth.ts';
import { LoadGenerator } from './load/load-generator.ts';
import type { Options, PartName } from './options.ts';
import { measureAddedLatency } from './parts/added-latency.ts';
import { measureBodies } from './parts/bodies.ts';
import { measureClosedLoop } from './parts/closed-loop.ts';
import { checkCorrectness } from './parts/correctness.ts';
import { measureDialects } from './parts/dialects.ts';
import { measureMixedBodies } from './parts/mixed-bodies.ts';
import { measureOpenStreams } from './parts/open-streams.ts';
import { measurePassedChunks } from './parts/passed-chunks.ts';
import { measureStreams } from './parts/streams.ts';
import { measureWholeGateway } from './parts/whole-gateway.ts';
import { PLANS } from './plan.ts';
import { divideCores } from './processes/cores.ts';
import { residentBytesOf } from './processes/process-usage.ts';
import { ROOT } from './processes/program.ts';
import { makeWorkDir } from './processes/work-dir.ts';
import { profileDataPlane } from './profile/profile-data-plane.ts';
import { describeMachine } from './results/machine.ts';
import type { PartResult } from './results/part-result.ts';
import type { Report } from './results/report.ts';
import {
  bareProxyTarget,
  directTarget,
  gatewayTarget,
  startBareProxy,
  startProvider,
} from './targets/own-targets.ts';
import { type Peers, startPeers } from './targets/start-peers.ts';

const CACHE = join(ROOT, '.bench');

export interface RunOptions {
  options: Options;
  command: string;
  environment: Environment;
  say: (line: string) => void;
  /** Owns everything that is started. */
  stack: AsyncDisposableStack;
}

/** Starts everything, measures and reports. The owner of the stack stops everything. */
export async function runBench(run: RunOptions): Promise<Report> {
  const { options, environment, say, stack } = run;
  const startedAt = new Date();
  const startedMs = performance.now();
  const plan = PLANS[options.extent];
  const cores = divideCores();
  const machine = describeMachine(cores);
  say(`${machine.cores}; load average ${machine.loadAverage.toFixed(2)}`);

  const workDir = await makeWorkDir(CACHE);
  stack.defer(() => rm(workDir, { recursive: true, force: true }));
  say('starting Postgres, Redis, control plane, data plane, provider, bare proxy ...');
  const postgres = await startEmbeddedPostgres({ dataDir: join(workDir, 'postgres') });
  stack.defer(() => postgres.stop());
  const common = { environment, logDir: workDir };
  const provider = await startProvider(common);
  stack.use(provider.program);
  const load = stack.use(await LoadGenerator.start(common));
  const bareProxy = await startBareProxy({ ...common, cores: cores.underTest }, provider.url);
  stack.use(bareProxy.program);
  const bare = bareProxyTarget(bareProxy);
  const start = {
    providerUrl: provider.url,
    postgres,
    environment,
    workDir,
    cores: cores.underTest,
    nodeArgs: options.nodeArgs,
  };

  const report = (found: Pick<Report, 'targets' | 'missing' | 'parts' | 'goals' | 'assertions'>): Report => ({
    startedAt: startedAt.toISOString(),
    seconds: (performance.now() - startedMs) / 1_000,
    command: run.command,
    machine,
    ...found,
  });
  if (options.growth) {
    const { part, goals, assertions } = await measureGrowth({ plan, load, start, bare, say });
    return report({ targets: [bare], missing: [], parts: [part], goals, assertions });
  }

  const size = { keys: plan.keys, accounts: plan.accounts, models: 5, teams: 0, raiseLimits: false };
  const gateway = stack.use(await Gateway.start({ ...start, name: 'main', size }));
  const idleBytes = residentBytesOf([gateway.pid]);
  const target = gatewayTarget(gateway, plan.keys);
  const peers: Peers = await startPeers(
    options.peers,
    { ...common, cacheDir: CACHE, cores: cores.underTest, providerUrl: provider.url },
    stack,
    say,
  );
  say(`presenting ${plan.keys} keys ...`);
  await warmKeys(load, target, plan.keys);

  const bench = new Bench({
    plan,
    load,
    say,
    gateway,
    bare,
    providerUrl: provider.url,
    direct: directTarget(provider),
    gatewayTarget: target,
    peers: peers.targets,
  });
  const parts: PartResult[] = [];
  for (const name of options.parts) parts.push(await measurePart(bench, name, idleBytes));
  await checkCorrectness(bench);
  if (options.profile) {
    say('profiling the data plane ...');
    const folder = resolve(ROOT, options.out);
    const stamp = startedAt.toISOString().replaceAll(':', '-');
    const { part, file } = await profileDataPlane(gateway, load, plan, folder, stamp);
    parts.push(part);
    say(`profile: ${file}`);
  }
  const { goals, assertions } = bench;
  return report({ targets: bench.targets, missing: peers.missing, parts, goals, assertions });
}

function measurePart(bench: Bench, name: PartName, idleBytes: number): Promise<PartResult> {
  switch (name) {
    case 'closed-loop':
      return measureClosedLoop(bench);
    case 'whole-gateway':
      return measureWholeGateway(bench);
    case 'latency':
      return measureAddedLatency(bench);
    case 'streams':
      return measureStreams(bench);
    case 'passed-chunks':
      return measurePassedChunks(bench);
    case 'dialects':
      return measureDialects(bench);
    case 'bodies':
      return measureBodies(bench);
    case 'mixed':
      return measureMixedBodies(bench);
    case 'open-streams':
      return measureOpenStreams(bench, idleBytes);
  }
}
