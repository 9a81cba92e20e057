import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Shared by all three configurations. */
export const common = {
  globalSetup: ['packages/test-kit/src/global-setup.ts'],
  setupFiles: ['packages/test-kit/src/check-answers.setup.ts'],
  // A machine that is busy, or gives little of itself, takes many times as long as a quiet one: these only
  // end what hangs.
  hookTimeout: 180_000,
  expect: { poll: { timeout: 30_000 } },
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
  testTimeout: 300_000,
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
