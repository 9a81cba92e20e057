import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a data plane by `--import`: on SIGUSR2 it writes the longest turn of its event loop since the
 * last time to the file LONGEST_TURN_FILE, in milliseconds of CPU time. Unlike a latency, that does not grow
 * with what else the machine does.
 */

const LOOK_EVERY_MS = 5;

if (isMainThread) {
  let lookedAtMs = cpuMs();
  let longestMs = 0;
  setInterval(() => {
    const now = cpuMs();
    longestMs = Math.max(longestMs, now - lookedAtMs);
    lookedAtMs = now;
  }, LOOK_EVERY_MS).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(process.env.LONGEST_TURN_FILE ?? '', String(longestMs));
    longestMs = 0;
  });
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
