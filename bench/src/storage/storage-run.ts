import type { Environment } from '@model-gateway/service-kit';
import type { Plan } from '../plan.ts';
import type { Findings } from '../results/findings.ts';
import type { FilledStore } from './filled-store.ts';
import type { Release } from './release.ts';

/** Shared by the parts that measure the database without a data plane. */
export interface StorageRun {
  plan: Plan;
  findings: Findings;
  environment: Environment;
  /** For data and logs; it is removed after the run. */
  workDir: string;
  /** The cores of what is measured; undefined: the system chooses. */
  cores: string | undefined;
  against: Release | undefined;
  /** A database with many records; undefined: there is none. */
  store: FilledStore | undefined;
  say: (line: string) => void;
  /** Stops what still runs when the run is broken off. */
  stack: AsyncDisposableStack;
}
