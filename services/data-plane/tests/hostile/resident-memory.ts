import { readFileSync } from 'node:fs';

const SAMPLE_MS = 10;

/** Resident memory of another process, in bytes, watched until `stop`. */
export function watchMemory(pid: number) {
  const idle = residentBytes(pid);
  let most = idle;
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(pid));
  }, SAMPLE_MS);
  return {
    /** Where it began. */
    idleBytes: idle,
    /** @returns how far it rose at most above where it began */
    stop(): number {
      clearInterval(timer);
      return most - idle;
    },
  };
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
