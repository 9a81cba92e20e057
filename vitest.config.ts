import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Parts of the paths of small test files that run for long. Without durations of an earlier run, vitest
 * starts the largest files first, so these would run last, some of them alone beside idle workers.
 */
const LONG_RUNNING = [
  'matrix/matrix.',
  'money/money-',
  'scim/killed.',
  'simulation.slow.',
  'silent-data-planes.',
  'sticky-routing.slow.',
  'tests/browser/',
  'tests/clients/',
  'tests/drills/',
  'tests/hostile/hold-up',
  'unexpected-failure.slow.',
];

class LongRunningFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG_RUNNING.some((part) => moduleId.includes(part));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Shared by all three configurations. */
export const common = {
  globalSetup: ['packages/test-kit/src/global-setup.ts'],
  setupFiles: ['packages/test-kit/src/check-answers.setup.ts'],
  // A machine that is busy, or gives little of itself, takes many times as long as a quiet one: these only
  // end what hangs.
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
  // The one thing in module state is the observer of answers, which is meant to be shared; and importing all
  // modules again for each file takes a third of the time.
  isolate: false,
  // Node itself imports the modules, as in production: Vite's runner takes a seventh longer, and no test
  // mocks one.
  experimental: { viteModuleRunner: false },
  // Recorded at our simulated providers (npm run record-responses), unless you have a folder of others.
  env: {
    RECORDED_ANSWERS:
      process.env.RECORDED_ANSWERS || join(import.meta.dirname, 'packages/simulated-provider/recorded'),
  },
};

/** For tests that run beside each other. */
export const parallel = {
  ...common,
  // The longest take four minutes beside five others. `until` and `expect.poll` fail after two.
  testTimeout: 600_000,
  sequence: { sequencer: LongRunningFirst },
  // Much of their time is waiting: for leases to end, for servers to start. Four left a quarter of two cores
  // idle; six fill them. On less than two cores they would only be in each other's way.
  maxWorkers: availableParallelism() < 2 ? 1 : 6,
};

export default defineConfig({
  test: {
    ...parallel,
    include: ['{bench,packages,services,scripts,deploy}/**/*.test.ts'],
    exclude: ['**/*.{slow,long}.test.ts', '**/node_modules/**'],
  },
});
