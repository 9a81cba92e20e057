import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { managementDocument } from '../../src/management/openapi/management-document.ts';
import { ROUTES } from '../../src/management/routes/index.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';

const control = useControlPlanes();
const api = manage(control);

describe('the document of the management API', () => {
  it('is valid by the official schema of OpenAPI 3.1', async () => {
    const { body } = await api.get('/admin/openapi.json', { key: null });
    const validator = new Validator();
    const { errors, valid } = await validator.validate(z.looseObject({}).parse(body));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('names every route once, with its scope', () => {
    const ids = ROUTES.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const { paths = {} } = managementDocument(ROUTES);
    const documented = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = ROUTES.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(documented.sort()).toEqual(served.sort());
    for (const { operationId, scope } of ROUTES)
      if (scope !== undefined) expect(JSON.stringify(paths), operationId).toContain(scope);
  });

  it('is shown by a page that loads nothing from other hosts', async () => {
    const page = await fetch(api.url('/admin/docs'));
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain('<title>Model Gateway management API</title>');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const scripts = [...html.matchAll(/src="([^"]+)"/g)].map(([, source = '']) => source);
    expect(scripts).toHaveLength(2);
    for (const source of scripts) {
      const script = await fetch(new URL(source, api.url('/admin/docs')));
      expect(script.status).toBe(200);
      expect(script.headers.get('content-type')).toContain('javascript');
      await script.body?.cancel();
    }
  });
});
