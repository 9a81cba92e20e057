import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import process from 'node:process';
import type { Cores } from '../processes/cores.ts';

/** Where the figures come from. */
export interface Machine {
  cpu: string;
  coreCount: number;
  memoryGb: number;
  system: string;
  node: string;
  redis: string;
  cores: string;
  /** Before anything was started, over a minute: above 0.5, somebody else was busy. */
  loadAverage: number;
}

export function describeMachine(cores: Cores): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    coreCount: all.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    redis: redisVersion(),
    cores: cores.says,
    loadAverage: loadavg()[0] ?? 0,
  };
}

function redisVersion(): string {
  try {
    const [, version = 'unknown'] =
      /v=(\S+)/.exec(execFileSync('redis-server', ['--version'], { encoding: 'utf8' })) ?? [];
    return version;
  } catch {
    return 'none: limits are counted in memory';
  }
}
