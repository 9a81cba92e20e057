import { envelopeOf, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

let gateway: TestGateway;
let urls: string[];

beforeAll(async () => {
  gateway = await startGateway({ catalog: true });
  urls = [`http://127.0.0.1:${gateway.catalog?.port}`, gateway.baseUrl];
});
afterAll(() => gateway.close());

const FILES = ['/docs/start.js', '/docs/api-reference.js'];

describe('the OpenAPI document and its page', () => {
  it('are public: any Authorization header is ignored', async () => {
    for (const url of urls) {
      for (const path of ['/openapi.json', '/docs', ...FILES]) {
        const response = await fetch(url + path, { headers: { authorization: 'Bearer nonsense' } });
        expect(response.status).toBe(200);
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        expect(response.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
        await response.arrayBuffer();
      }
    }
  });

  it('get 304 for a browser that has them', async () => {
    for (const url of urls) {
      for (const path of ['/openapi.json', '/docs', ...FILES]) {
        const etag = (await fetch(url + path, { method: 'HEAD' })).headers.get('etag') ?? '';
        const response = await fetch(url + path, { headers: { 'if-none-match': etag } });
        expect(response.status).toBe(304);
        expect(await response.text()).toBe('');
      }
    }
  });

  it('the document is OpenAPI 3.1 of this version', async () => {
    for (const url of urls) {
      const response = await fetch(`${url}/openapi.json`);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const { openapi, info } = z
        .looseObject({ openapi: z.string(), info: z.looseObject({ version: z.string() }) })
        .parse(await response.json());
      expect(openapi).toBe('3.1.0');
      expect(info.version).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  it('the page and what it runs come from here alone', async () => {
    for (const url of urls) {
      const response = await fetch(`${url}/docs`);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
      const html = await response.text();
      expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
      const scripts = [...html.matchAll(/<script src="([^"]+)"><\/script>/g)].map(
        ([, src = '']) => `/${src}`,
      );
      expect(scripts.toSorted()).toEqual(FILES.toSorted());
      expect(html).not.toMatch(/<script(?! src=)/);
      for (const path of scripts) {
        const script = await fetch(url + path);
        expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
        expect(await script.text()).toContain('createApiReference');
      }
    }
  });

  it('no other file of the folder is served', async () => {
    for (const url of urls) {
      for (const path of [
        '/docs/',
        '/docs/standalone.js.map',
        '/docs/..%2Fpackage.json',
        '/docs/start.js/x',
      ]) {
        const response = await fetch(url + path);
        expect(response.status).toBe(404);
        expect(envelopeOf({ body: await response.text() }).code).toBe('not_found');
      }
    }
  });

  it('only GET and HEAD are allowed', async () => {
    for (const url of urls) {
      for (const path of ['/openapi.json', '/docs', ...FILES]) {
        const response = await fetch(url + path, { method: 'POST' });
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('GET, HEAD');
        await response.arrayBuffer();
      }
    }
  });
});
