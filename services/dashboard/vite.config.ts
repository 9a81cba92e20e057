import process from 'node:process';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compression, defineAlgorithm } from 'vite-plugin-compression2';

const server = process.env.DASHBOARD_URL ?? 'http://127.0.0.1:8090';

/** Only the pages with charts load these. */
const CHARTS =
  /node_modules[\\/](recharts|victory-vendor|d3-|@reduxjs|redux|react-redux|immer|reselect|decimal\.js-light)/;

/** Only the pages with long tables load these. */
const LONG_TABLES =
  /node_modules[\\/]@tanstack[\\/](react-)?virtual|components[\\/](long-table|managed-table|use-virtual-rows)\./;

/** Only operators load these. In the shared chunk, they would bring the long tables to every page. */
const CONSOLE = /web[\\/]src[\\/]console[\\/]/;

/** Builds the web site: `web/` → `dist/`, which the server sends. */
export default defineConfig({
  root: fileURLToPath(new URL('web', import.meta.url)),
  plugins: [
    react(),
    // Compressed once and as small as possible, instead of for every visitor.
    compression({
      include: /\.(js|css|svg)$/,
      algorithms: [defineAlgorithm('brotliCompress'), defineAlgorithm('gzip', { level: 9 })],
    }),
  ],
  // The server replaces this nonce in every page that it sends (src/pages).
  html: { cspNonce: '__CSP_NONCE__' },
  // For `npm run dev`: the server accepts changes only from pages of its own origin.
  server: { proxy: { '/api': { target: server, headers: { origin: server } } } },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2023',
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Dozens of small files compress badly, and each of them adds its headers.
          groups: [
            { name: 'framework', test: /node_modules[\\/](react|react-dom|react-router|scheduler)[\\/]/ },
            {
              name: 'shared',
              minShareCount: 4,
              maxModuleSize: 60_000,
              test: (id) => ![CHARTS, LONG_TABLES, CONSOLE].some((pattern) => pattern.test(id)),
            },
            { name: 'long-tables', test: LONG_TABLES },
          ],
        },
      },
    },
  },
});
