import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server that `vite dev` passes API requests to; a running `postern serve` or the test fake. */
const backend = process.env.POSTERN_CONSOLE_BACKEND ?? 'http://127.0.0.1:8080';

const apiPaths = [
  '/console/api',
  '/local/api',
  '/channels',
  '/messages',
  '/agents',
  '/allowlist',
  '/pairings',
  '/webhooks',
  '/attachments',
  '/api/v1',
  '/captured/api',
];

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Browsers that know `light-dark()`; without this every pair of colours would be taken apart.
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    // The page runs under `default-src 'self'`: nothing may be inlined as a data URL or inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: Object.fromEntries(apiPaths.map((path) => [path, backend])) },
});
