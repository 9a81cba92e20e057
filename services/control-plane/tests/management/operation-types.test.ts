import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { operationTypes } from '@model-gateway/openapi/operation-types';
import { expect, it } from 'vitest';
import { managementDocument } from '../../src/management/openapi/management-document.ts';
import { OWN_ROUTES } from '../../src/management/routes/own-routes.ts';

const HEAD = `// Types of the management API for the pages of the console, from its OpenAPI document. They are written by
// npm test -- services/control-plane/tests/management/operation-types -u

`;

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FORMAT = ['format', '--stdin-file-path=services/dashboard/wire/management-types.ts'];

it('the types of the console are those of the management API (-u writes them)', async () => {
  const input = HEAD + operationTypes(managementDocument(OWN_ROUTES));
  const types = execFileSync(`${ROOT}node_modules/.bin/biome`, FORMAT, {
    cwd: ROOT,
    input,
    encoding: 'utf8',
  });
  await expect(types).toMatchFileSnapshot('../../../dashboard/wire/management-types.ts');
});
