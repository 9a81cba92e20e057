import { readFileSync } from 'node:fs';
import { openApiDocument } from '@model-gateway/openapi';
import { VERSION } from '@model-gateway/service-kit';
import { BUNDLE_FILE, docsPage, START_FILE, START_SCRIPT } from './docs-page.ts';
import { pageHeaders } from './docs-policy.ts';
import { createGuideHandler, GUIDE_ROOT, type Handler, redirectToGuide } from './guide.ts';
import { staticAnswer } from './static-answer.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** Returns handlers by path: the OpenAPI document, the page that shows it, and the documentation site. */
export function docsAnswers(guide = createGuideHandler()): Record<string, Handler> {
  return {
    '/openapi.json': staticAnswer({
      contentType: 'application/json; charset=utf-8',
      load: () => JSON.stringify(openApiDocument({ version: VERSION })),
    }),
    '/docs': staticAnswer({
      contentType: 'text/html; charset=utf-8',
      // A relative link also works behind a path prefix.
      load: () => docsPage(guide && GUIDE_ROOT.slice(1)),
      headers: pageHeaders(),
    }),
    [`/docs/${START_FILE}`]: staticAnswer({
      contentType: JAVASCRIPT,
      load: () => START_SCRIPT,
    }),
    [`/docs/${BUNDLE_FILE}`]: staticAnswer({
      contentType: JAVASCRIPT,
      load: readBundle,
    }),
    ...(guide && { '/docs/guide': redirectToGuide, [`${GUIDE_ROOT}{*file}`]: guide }),
  };
}

/**
 * Reads the package's bundle for browsers. The package does not export its path, but it lies beside a file
 * that is exported.
 */
function readBundle(): Buffer {
  return readFileSync(new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference')));
}
