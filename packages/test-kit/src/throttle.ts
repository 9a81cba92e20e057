import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { withDescendants } from './descendants.ts';

/** Throttled processes; disposing lets them run freely again. Dispose before the processes are ended. */
export interface Throttle extends AsyncDisposable {
  how: 'cgroup' | 'signals';
}

const PERIOD_MS = 100;
const CGROUPS = '/sys/fs/cgroup';
let groups = 0;

/**
 * Slows processes and their present and future children down to a share of one CPU. It uses the kernel's
 * quota for all of them together where this process may set one. Elsewhere it stops and continues them ten
 * times a second, which works everywhere.
 * @param share of one CPU, such as 0.2
 * @param how the method; by default the first that is possible
 */
export function throttle(pids: readonly number[], share: number, how?: Throttle['how']): Throttle {
  const byCgroup = how === 'signals' ? undefined : throttleByCgroup(pids, share);
  return byCgroup ?? throttleBySignals(pids, share);
}

function throttleByCgroup(pids: readonly number[], share: number): Throttle | undefined {
  groups += 1;
  const name = `model-gateway-${process.pid}-${groups}`;
  const isV2 = existsSync(join(CGROUPS, 'cgroup.controllers'));
  const root = isV2 ? CGROUPS : join(CGROUPS, 'cpu');
  const folder = join(root, name);
  const periodUs = PERIOD_MS * 1_000;
  const quotaUs = Math.round(share * periodUs);
  try {
    mkdirSync(folder);
  } catch {
    return undefined;
  }
  try {
    if (isV2) writeFileSync(join(folder, 'cpu.max'), `${quotaUs} ${periodUs}`);
    else {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodUs));
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quotaUs));
    }
    for (const pid of withDescendants(pids)) writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  } catch {
    release(folder, root);
    return undefined;
  }
  return {
    how: 'cgroup',
    async [Symbol.asyncDispose]() {
      release(folder, root);
    },
  };
}

function release(folder: string, root: string): void {
  const members = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
  for (const pid of members) {
    try {
      writeFileSync(join(root, 'cgroup.procs'), pid);
    } catch {
      // The process has ended.
    }
  }
  try {
    rmdirSync(folder);
  } catch {
    // A child that was started meanwhile is still in the group. A group that stays does no harm.
  }
}

function throttleBySignals(pids: readonly number[], share: number): Throttle {
  const over = new Int32Array(new SharedArrayBuffer(4));
  // This runs in a thread of its own, because the thread of the tests is busy.
  const worker = new Worker(new URL('./stop-and-continue.ts', import.meta.url), {
    workerData: { pids: [...pids], runMs: share * PERIOD_MS, stopMs: (1 - share) * PERIOD_MS, over },
  });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  return {
    how: 'signals',
    async [Symbol.asyncDispose]() {
      Atomics.store(over, 0, 1);
      Atomics.notify(over, 0);
      await ended;
    },
  };
}
