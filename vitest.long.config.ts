import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/** Load, kill and soak tests at full size: `npm run test:long`. */
export default defineConfig({
  test: {
    ...common,
    include: ['{bench,packages,services,scripts}/**/*.long.test.ts'],
    testTimeout: 20 * 60_000,
    // They load the machine and measure: one at a time.
    fileParallelism: false,
  },
});
