import { defineConfig } from 'vitest/config';
import { parallel } from './vitest.config.ts';

/**
 * Drills, floods and pages in a browser, which `npm test` leaves to whoever lands a change: `npm run
 * test:slow`.
 */
export default defineConfig({
  test: { ...parallel, include: ['{packages,services,scripts}/**/*.slow.test.ts'] },
});
