import process from 'node:process';
import { createAccount } from './account.ts';
import { checkContainers, checkSecrets } from './check-containers.ts';
import { allInOne } from './drills/all-in-one.ts';
import { faults } from './drills/faults.ts';
import { idleConnections } from './drills/idle-connections.ts';
import { rollingRestart } from './drills/rolling-restart.ts';
import { scaleOut } from './drills/scale.ts';
import { tls } from './drills/tls.ts';
import { Report } from './report.ts';
import { smoke, smokeClientAddress } from './smoke.ts';
import { smokeDashboard } from './smoke-dashboard.ts';
import { Stack } from './stack.ts';

/** Limit for everything after the images are built. */
const TIMEOUT_MS = 1_800_000;

const report = new Report();
const interruption = new AbortController();
// Every complete paid response must be on record, whatever is killed.
const stack = await Stack.create({ SETTLEMENT: 'acknowledged' }, interruption);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interruption.abort(new Error(`interrupted by ${signal}`)));
}

try {
  await verify();
} catch (error) {
  const { aborted, reason } = interruption.signal;
  report.check('verify', false, String(aborted ? reason : error));
  if (!aborted) await showLogs().catch(() => undefined);
}
say('taking it down');
await stack.down();
process.stdout.write(`\n${report.table()}\n${report.isGood ? 'All good.' : 'Not good.'}\n`);
process.exit(report.isGood ? 0 : 1);

async function verify(): Promise<void> {
  say('building and starting');
  const { buildMs, startMs } = await stack.up();
  report.check('up, everything healthy', true, `build ${seconds(buildMs)}, start ${seconds(startMs)}`);
  const tooLate = new Error(`not done after ${seconds(TIMEOUT_MS)}`);
  setTimeout(() => interruption.abort(tooLate), TIMEOUT_MS).unref();

  say('containers');
  await checkContainers(stack, report.check);
  await checkSecrets(stack, report.check);
  say('smoke test');
  await smoke(stack.baseUrl, await createAccount(stack, 'smoke', { unlimited: true }), report.check);
  await smokeClientAddress(stack.baseUrl, report.check);
  await smokeDashboard(stack, report.check);
  say('scale out');
  await scaleOut(stack, report.check);
  say('rolling restart');
  await rollingRestart(stack, report.check);
  say('faults');
  await faults(stack, report.check);
  say('idle connections');
  await idleConnections(stack, report.check);
  say('TLS');
  await tls(stack, report.check);
  say('ledger');
  const ledger = await stack.compose(['run', '--rm', '-T', 'gatewayctl', 'verify-ledger']);
  report.check('verify-ledger', true, ledger.trim().replaceAll('\n', ' '));
  say('all in one');
  await allInOne(report.check);
}

/** Prints the last log lines of the services. */
async function showLogs(): Promise<void> {
  const logs = await stack.compose(['logs', '--no-color', '--tail', '20']);
  process.stderr.write(logs);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(0)} s`;
}

function say(what: string): void {
  process.stderr.write(`${what} ...\n`);
}
