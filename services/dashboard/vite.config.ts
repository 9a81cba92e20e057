import process from 'node:process';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const server = process.env.DASHBOARD_URL ?? 'http://127.0.0.1:8090';

/** The web site: `web/` → `dist/`, which the server sends. */
export default defineConfig({
  root: fileURLToPath(new URL('web', import.meta.url)),
  plugins: [react()],
  // The server replaces it in every page that it sends (src/pages).
  html: { cspNonce: '__CSP_NONCE__' },
  // For `npm run dev`: to the server, the requests come from a page of its own.
  server: { proxy: { '/api': { target: server, headers: { origin: server } } } },
  build: { outDir: '../dist', emptyOutDir: true, target: 'es2023' },
});
