import type { Environment } from '@model-gateway/service-kit';
import type { Options } from './options.ts';
import type { Plan } from './plan.ts';
import type { Cores } from './processes/cores.ts';
import type { Report } from './results/report.ts';

export interface RunOptions {
  options: Options;
  command: string;
  environment: Environment;
  say: (line: string) => void;
  /** Owns everything that is started. */
  stack: AsyncDisposableStack;
}

/** Shared by all measurements of a run. */
export interface RunSetting extends RunOptions {
  plan: Plan;
  cores: Cores;
  startedAt: Date;
  cacheDir: string;
  /** Data, logs and keys of this run. */
  workDir: string;
}

/** The results of the parts that share one set of processes. */
export type Section = Pick<Report, 'targets' | 'missing' | 'parts' | 'goals' | 'assertions'>;
