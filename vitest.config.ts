import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{packages,services,scripts}/**/*.test.ts'],
    globalSetup: ['packages/test-kit/src/global-setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
