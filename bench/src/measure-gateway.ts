import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '@model-gateway/database/embedded-postgres';
import { Bench } from './bench.ts';
import { Gateway, type GatewayOptions } from './gateway/gateway.ts';
import { warmKeys } from './gateway/warm-keys.ts';
import { LoadGenerator } from './load/load-generator.ts';
import type { GatewayPartName } from './options.ts';
import { measureAddedLatency } from './parts/added-latency.ts';
import { measureClosedLoop } from './parts/closed-loop.ts';
import { checkCorrectness } from './parts/correctness.ts';
import { measureDialects } from './parts/dialects.ts';
import { measureLadder } from './parts/ladder.ts';
import { measureModels } from './parts/models.ts';
import { measureOpenStreams } from './parts/open-streams.ts';
import { measurePassedChunks } from './parts/passed-chunks.ts';
import { measurePhases } from './parts/phases.ts';
import { measureScale } from './parts/scale.ts';
import { measureStart } from './parts/start.ts';
import { measureStreams } from './parts/streams.ts';
import { measureTails } from './parts/tails.ts';
import { measureWholeGateway } from './parts/whole-gateway.ts';
import type { Cores } from './processes/cores.ts';
import { residentBytesOf } from './processes/process-usage.ts';
import type { PartResult } from './results/part-result.ts';
import type { RunSetting, Section } from './run-setting.ts';
import { openRelease } from './storage/release.ts';
import {
  anotherTarget,
  bareProxyTarget,
  directTarget,
  gatewayTarget,
  startBareProxy,
  startProvider,
} from './targets/own-targets.ts';
import type { PeerOptions } from './targets/peer.ts';
import { ANCHORS, PEERS, startPeers } from './targets/start-peers.ts';
import type { Target } from './targets/target.ts';

/** Runs the parts that measure a whole gateway beside the bare proxy, the peers, and no gateway. */
export async function measureGateway(
  setting: RunSetting,
  names: readonly GatewayPartName[],
): Promise<Section> {
  const { options, say, plan, cores, cacheDir } = setting;
  await using stack = setting.stack.use(new AsyncDisposableStack());
  const { common, provider, load, bare, start } = await startShared(setting, stack);
  const size = { keys: plan.keys, accounts: plan.accounts, models: 5, raiseLimits: false };
  const gateway = stack.use(await Gateway.start({ ...start, name: 'main', size }));
  const idleBytes = residentBytesOf([gateway.pid]);
  const target = gatewayTarget(gateway, plan.keys);
  let before: Target | undefined;
  if (options.against !== undefined) {
    say('starting the data plane of the other copy ...');
    const release = await openRelease(resolve(options.against), setting.environment);
    before = anotherTarget(target, await gateway.startAnother(release), {
      name: 'gateway before',
      says: 'the data plane of another copy of the repository, beside this one',
    });
  }
  const beside = {
    ...common,
    cacheDir,
    cores: cores.underTest,
    providerUrl: provider.url,
    keysFile: gateway.keysFile,
    redisUrl: gateway.redis?.url,
  };
  const peers = await startPeers(PEERS[options.peers], beside, stack, say);
  const anchors = await startPeers(options.peers === 'all' ? ANCHORS : [], beside, stack, say);
  say(`presenting ${plan.keys} keys ...`);
  for (const each of [target, before]) if (each !== undefined) await warmKeys(load, each, plan.keys);

  const bench = new Bench({
    plan,
    load,
    say,
    gateway,
    bare,
    providerUrl: provider.url,
    direct: directTarget(provider),
    gatewayTarget: target,
    before,
    peers: peers.targets,
    anchors: anchors.targets,
  });
  const parts: PartResult[] = [];
  for (const name of names) parts.push(await PARTS[name](bench, { idleBytes, start, cores, beside }));
  await checkCorrectness(bench);
  const { goals, assertions } = bench;
  const missing = [...peers.missing, ...anchors.missing];
  return { targets: bench.targetsOfCost, missing, parts, goals, assertions };
}

/** Starts the databases, providers and load generator that every gateway of a run needs. */
async function startShared(setting: RunSetting, stack: AsyncDisposableStack) {
  const { options, environment, say, cores, workDir } = setting;
  say('starting Postgres, Redis, control plane, data plane, provider, bare proxy ...');
  const postgres = await startEmbeddedPostgres({ dataDir: join(workDir, 'postgres') });
  stack.defer(() => postgres.stop());
  const common = { environment, logDir: workDir };
  const provider = await startProvider(common);
  stack.use(provider.program);
  const load = stack.use(await LoadGenerator.start(common));
  const bareProxy = await startBareProxy({ ...common, cores: cores.underTest }, provider.url);
  stack.use(bareProxy.program);
  const start = {
    providerUrl: provider.url,
    postgres,
    environment,
    workDir,
    cores: cores.underTest,
    nodeArgs: options.nodeArgs,
  };
  return { common, provider, load, bare: bareProxyTarget(bareProxy), start };
}

/** Inputs that some parts need besides the Bench. */
interface PartContext {
  /** The memory of the data plane right after its start. */
  idleBytes: number;
  start: Omit<GatewayOptions, 'name' | 'size'>;
  cores: Cores;
  /** For programs that are started beside the gateway. */
  beside: PeerOptions;
}

const PARTS: Record<GatewayPartName, (bench: Bench, context: PartContext) => Promise<PartResult>> = {
  'closed-loop': measureClosedLoop,
  ladder: (bench, { beside }) => measureLadder(bench, beside),
  'whole-gateway': measureWholeGateway,
  latency: measureAddedLatency,
  tails: measureTails,
  phases: measurePhases,
  streams: measureStreams,
  'passed-chunks': measurePassedChunks,
  dialects: measureDialects,
  'open-streams': (bench, { idleBytes }) => measureOpenStreams(bench, idleBytes),
  start: (bench, { start, cores }) => measureStart(bench, start, cores.all),
  models: (bench, { start }) => measureModels(bench, start),
  scale: (bench, { start }) => measureScale(bench, start),
};
