import { apiReference, type Handler } from '@model-gateway/api-reference';
import { openApiDocument } from '@model-gateway/openapi';
import { VERSION } from '@model-gateway/service-kit';
import { createGuideHandler, GUIDE_ROOT, redirectToGuide } from './guide.ts';

/** Returns handlers by path: the OpenAPI document, the page that shows it, and the documentation site. */
export function docsAnswers(guide = createGuideHandler()): Record<string, Handler> {
  const reference = apiReference({
    prefix: '',
    title: 'Model Gateway API',
    document: () => openApiDocument({ version: VERSION }),
    // A relative link also works behind a path prefix.
    guide: guide && GUIDE_ROOT.slice(1),
  });
  if (guide === undefined) return reference;
  return { ...reference, '/docs/guide': redirectToGuide, [`${GUIDE_ROOT}{*file}`]: guide };
}
