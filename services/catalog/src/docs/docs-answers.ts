import { readFileSync } from 'node:fs';
import { openApiDocument } from '@model-gateway/openapi';
import { VERSION } from '@model-gateway/service-kit';
import { BUNDLE_FILE, DOCS_PAGE, DOCS_POLICY, START_FILE, START_SCRIPT } from './docs-page.ts';
import { staticAnswer } from './static-answer.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** The OpenAPI document and the page that shows it, each by its path. */
export function docsAnswers() {
  return {
    '/openapi.json': staticAnswer({
      contentType: 'application/json; charset=utf-8',
      load: () => JSON.stringify(openApiDocument({ version: VERSION })),
    }),
    '/docs': staticAnswer({
      contentType: 'text/html; charset=utf-8',
      load: () => DOCS_PAGE,
      headers: { 'content-security-policy': DOCS_POLICY, 'referrer-policy': 'no-referrer' },
    }),
    [`/docs/${START_FILE}`]: staticAnswer({
      contentType: JAVASCRIPT,
      load: () => START_SCRIPT,
    }),
    [`/docs/${BUNDLE_FILE}`]: staticAnswer({
      contentType: JAVASCRIPT,
      load: readBundle,
    }),
  };
}

/**
 * Reads the package's bundle for browsers. The package does not export its path, but it lies beside a file
 * that is exported.
 */
function readBundle(): Buffer {
  return readFileSync(new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference')));
}
