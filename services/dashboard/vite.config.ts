import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The web site: `web/` → `dist/`, which the server sends. */
export default defineConfig({
  root: fileURLToPath(new URL('web', import.meta.url)),
  plugins: [react()],
  // The server replaces it in every page that it sends (src/pages).
  html: { cspNonce: '__CSP_NONCE__' },
  build: { outDir: '../dist', emptyOutDir: true, target: 'es2023' },
});
