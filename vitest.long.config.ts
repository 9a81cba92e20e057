import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/** Load, kill and soak tests at full size: `npm run test:long`. */
export default defineConfig({
  test: {
    ...common,
    include: [
      '{bench,packages,services,scripts}/**/*.long.test.ts',
      // Run again with axe on every display; in test:slow, axe reads a page on two.
      'services/dashboard/tests/browser/{audit,console-*,contents,members}.slow.test.ts',
    ],
    env: { ...common.env, AXE_ON_EVERY_DISPLAY: 'true' },
    testTimeout: 20 * 60_000,
    // They load the machine and measure: one at a time.
    fileParallelism: false,
  },
});
