import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import process from 'node:process';
import type { Cores } from '../processes/cores.ts';

/** The machine of the measurement. */
export interface Machine {
  cpu: string;
  coreCount: number;
  memoryGb: number;
  system: string;
  node: string;
  redis: string;
  cores: string;
  /** The load of the minute before the start. Above 0.5, something else was running. */
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
