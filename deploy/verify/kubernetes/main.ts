import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { Report } from '../report.ts';
import { autoscaling } from './drills/autoscaling.ts';
import { drainTime } from './drills/drain-time.ts';
import { firstSteps } from './drills/first-steps.ts';
import { lostPods } from './drills/lost-pods.ts';
import { mutualTls } from './drills/mutual-tls.ts';
import { networkPolicies } from './drills/network-policies.ts';
import { nodeDrain } from './drills/node-drain.ts';
import { redisCluster } from './drills/redis-cluster.ts';
import { rolling } from './drills/rolling.ts';
import { standby } from './drills/standby.ts';
import { upgrade } from './drills/upgrade.ts';
import { buildImages, type Images, loadImages } from './images.ts';
import { Installation, ROOT } from './installation.ts';
import type { Trial } from './trial.ts';

/** Limit for everything after the images are loaded. */
const TIMEOUT_MS = 2_700_000;

type Drills = readonly (readonly [name: string, drill: (trial: Trial, images: Images) => Promise<void>])[];
const DRILLS: Drills = [
  ['network-policies', networkPolicies],
  ['autoscaling', autoscaling],
  ['rolling', rolling],
  ['lost-pods', lostPods],
  ['drain-time', drainTime],
  ['node-drain', nodeDrain],
  ['mutual-tls', mutualTls],
];
/** Drills with a Postgres and a Redis that fail over. */
const FAILOVERS: Drills = [
  ['redis-cluster', redisCluster],
  ['standby', standby],
];
const NAMES = [...DRILLS, ...FAILOVERS].map(([name]) => name);

const { values: options } = parseArgs({
  options: {
    load: { type: 'string' },
    images: { type: 'string', default: 'model-gateway' },
    tag: { type: 'string', default: 'verify' },
    'previous-tag': { type: 'string', default: 'verify-previous' },
    only: { type: 'string', multiple: true },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  process.stdout.write(`deploy/kubernetes/verify.sh [--load COMMAND] [--images PREFIX] [--tag TAG] [--previous-tag TAG] [--no-build]

  --load COMMAND       copies images to the nodes, gets their names: "kind load docker-image", "minikube image load"
  --images PREFIX      of image names: registry.example.com/model-gateway (default: model-gateway)
  --tag TAG            of this release's images (default: verify)
  --previous-tag TAG   of the previous release's images (default: verify-previous)
  --only DRILL         run only this drill; repeatable: ${[...NAMES, 'upgrade'].join(', ')}
  --no-build           use images that are on the nodes or in the registry
`);
  process.exit(0);
}
const current: Images = { prefix: options.images, tag: options.tag };
const previous: Images = { prefix: options.images, tag: options['previous-tag'] };

const report = new Report();
const interruption = new AbortController();
const { signal } = interruption;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => interruption.abort(new Error(`interrupted by ${name}`)));
}
using installation = new Installation(signal);
const trial: Trial = { installation, check: report.check, skip: report.skip };

try {
  await verify();
} catch (error) {
  report.check('verify', false, String(signal.aborted ? signal.reason : error));
  if (!signal.aborted) await showState().catch(() => undefined);
}
say('taking it down');
await installation.remove();
process.stdout.write(`\n${report.table()}\n${report.isGood ? 'All good.' : 'Not good.'}\n`);
process.exitCode = report.isGood ? 0 : 1;

async function verify(): Promise<void> {
  const previousSource = await checkOutPreviousRelease();
  if (!options['no-build']) {
    say('building the images');
    await buildImages(current, signal);
    if (previousSource !== undefined) await buildImages(previous, signal, previousSource);
  }
  if (options.load !== undefined) {
    say('loading the images');
    await loadImages(options.load, previousSource === undefined ? [current] : [current, previous], signal);
  }
  const tooLate = new Error(`not done after ${TIMEOUT_MS / 60_000} minutes`);
  setTimeout(() => interruption.abort(tooLate), TIMEOUT_MS).unref();

  say('preparing Postgres, Redis and a provider');
  await installation.remove();
  await installation.prepare(current);
  say('installing');
  await firstSteps(trial, current);
  for (const [name, drill] of DRILLS.filter(isWanted)) {
    say(name);
    await drill(trial, current);
  }
  await checkLedger('verify-ledger');

  if (FAILOVERS.some(isWanted)) {
    say('preparing a Redis Cluster and a Postgres with a standby');
    await installation.remove();
    await installation.prepare(current, { withFailover: true });
    await installation.install(current);
    await installation.applyCatalog(current);
    for (const [name, drill] of FAILOVERS.filter(isWanted)) {
      say(name);
      await drill(trial, current);
    }
    await checkLedger('verify-ledger, after the failovers');
  }

  if (!isWanted(['upgrade'])) return;
  if (previousSource === undefined) {
    report.skip('upgrade from the previous release', 'there is no earlier release yet');
    return;
  }
  say('upgrade');
  await installation.remove();
  // With the previous gatewayctl, which must also manage the new release.
  await installation.prepare(previous);
  await upgrade(trial, { previous, previousSource, current });
  await checkLedger('verify-ledger, after the upgrade');
}

function isWanted([name]: readonly [name: string, ...unknown[]]): boolean {
  return options.only?.includes(name) ?? true;
}

async function checkLedger(what: string): Promise<void> {
  const output = await installation.gatewayctlText('verify-ledger');
  report.check(what, true, output.trim().replaceAll('\n', ' '));
}

/** Returns a folder with the previous release from git; undefined: there is none. */
async function checkOutPreviousRelease(): Promise<string | undefined> {
  const { commit } = z
    .object({ commit: z.string().nullable() })
    .parse(JSON.parse(readFileSync(join(ROOT, 'prisma/previous-release.json'), 'utf8')));
  if (commit === null) return undefined;
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 28 });
  const folder = installation.folder('previous');
  execFileSync('tar', ['--extract', '--directory', folder], { input: archive });
  return folder;
}

/** Prints pods and their last log lines. */
async function showState(): Promise<void> {
  const { gateway } = installation;
  process.stderr.write(await gateway.kubectl('get', 'pods,hpa', '--output', 'wide'));
  const part = ['--selector', 'app.kubernetes.io/part-of=model-gateway'];
  process.stderr.write(await gateway.kubectl('logs', ...part, '--tail', '15', '--prefix', '--ignore-errors'));
}

function say(what: string): void {
  process.stderr.write(`${what} ...\n`);
}
