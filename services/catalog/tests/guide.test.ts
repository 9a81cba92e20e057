import { startGateway, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let gateway: TestGateway;
let urls: string[];

beforeAll(async () => {
  gateway = await startGateway({ catalog: true });
  urls = [`http://127.0.0.1:${gateway.catalog?.port}`, gateway.baseUrl];
});
afterAll(() => gateway.close());

const PAGES = ['', 'start.html', 'reference/feature-matrix.html'];

describe('the documentation site', () => {
  it('is public, and allows only its own scripts', async () => {
    for (const url of urls) {
      for (const page of PAGES) {
        const response = await fetch(`${url}/docs/guide/${page}`, { headers: { authorization: 'nonsense' } });
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        const policy = response.headers.get('content-security-policy') ?? '';
        expect(policy).toMatch(/^default-src 'none'; script-src 'self'( 'sha256-[\w+/=]{44}'){3};/);
        expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
        expect(await response.text()).not.toMatch(/(src|href)="(https?:)?\/\/[^"]*\.(js|css|woff2?)"/);
      }
    }
  });

  it('lets clients cache files with a hash in their names for a year, and pages for minutes', async () => {
    for (const url of urls) {
      const page = await fetch(`${url}/docs/guide/`);
      expect(page.headers.get('cache-control')).toBe('public, max-age=300');
      const [, script = ''] = /src="\.\/(assets\/app\.[\w-]+\.js)"/.exec(await page.text()) ?? [];
      const response = await fetch(`${url}/docs/guide/${script}`);
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      await response.arrayBuffer();
      const etag = page.headers.get('etag') ?? '';
      const again = await fetch(`${url}/docs/guide/`, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
    }
  });

  it('has llms.txt, and each page as Markdown', async () => {
    for (const url of urls) {
      const list = await fetch(`${url}/docs/guide/llms.txt`);
      expect(list.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      const text = await list.text();
      expect(text).toMatch(/^# Model Gateway\n\n> /);
      const links = [...text.matchAll(/\]\(\.\/([^)]+\.md)\)/g)].map(([, path = '']) => path);
      expect(links.length).toBeGreaterThan(40);
      for (const path of links) {
        const response = await fetch(`${url}/docs/guide/${path}`);
        expect([path, response.status]).toEqual([path, 200]);
        expect(await response.text()).toMatch(/^# /);
      }
      const full = await (await fetch(`${url}/docs/guide/llms-full.txt`)).text();
      expect(full).toContain('\n# Troubleshooting\n');
    }
  });

  it('links to the API reference and back, also behind a path prefix', async () => {
    for (const url of urls) {
      expect(await (await fetch(`${url}/docs`)).text()).toContain('<a href="docs/guide/">');
      for (const [path, location] of [
        ['/docs/guide', 'guide/'],
        ['/docs/guide/api.html', '../../docs'],
      ] as const) {
        const response = await fetch(url + path, { redirect: 'manual' });
        expect([response.status, response.headers.get('location')]).toEqual([302, location]);
        expect(new URL(location, url + path).pathname).toMatch(/^\/docs(\/guide\/)?$/);
      }
    }
  });

  it('answers an unknown path with a 404 page that links back', async () => {
    for (const url of urls) {
      for (const path of ['nonsense', 'a/b/c.html', 'assets/', 'x"><script>']) {
        const response = await fetch(`${url}/docs/guide/${path}`);
        expect([path, response.status]).toEqual([path, 404]);
        expect(response.headers.get('content-security-policy')).toContain("script-src 'self';");
        const html = await response.text();
        expect(html).not.toContain('<script');
        const [, back = ''] = /<a href="([^"]+)">documentation/.exec(html) ?? [];
        expect(new URL(back, response.url).pathname).toBe('/docs/guide/');
      }
      for (const path of ['..%2Fpackage.json', '%2e%2e/package.json', '../../package.json']) {
        expect([path, (await fetch(`${url}/docs/guide/${path}`)).status]).toEqual([path, 404]);
      }
    }
  });
});
