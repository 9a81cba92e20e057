import { readFileSync } from 'node:fs';
import type { Request, Response } from 'express';
import { pageHeaders } from './page-headers.ts';
import { BUNDLE_FILE, type PageTexts, referencePage, START_FILE, START_SCRIPT } from './reference-page.ts';
import { staticAnswer } from './static-answer.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

export type Handler = (req: Request, res: Response) => void;

export interface ApiReferenceOptions extends PageTexts {
  /** Path before `/openapi.json` and `/docs`; empty: none. */
  prefix: string;
  /** Returns the OpenAPI document; called once, at the first request. */
  document: () => object;
}

/** Returns handlers by path: an OpenAPI document, and the page that shows it. */
export function apiReference({ document, prefix, ...texts }: ApiReferenceOptions): Record<string, Handler> {
  return {
    [`${prefix}/openapi.json`]: staticAnswer({
      contentType: 'application/json; charset=utf-8',
      load: () => JSON.stringify(document()),
    }),
    [`${prefix}/docs`]: staticAnswer({
      contentType: 'text/html; charset=utf-8',
      load: () => referencePage(texts),
      headers: pageHeaders(),
    }),
    [`${prefix}/docs/${START_FILE}`]: staticAnswer({
      contentType: JAVASCRIPT,
      load: () => START_SCRIPT,
    }),
    [`${prefix}/docs/${BUNDLE_FILE}`]: staticAnswer({
      contentType: JAVASCRIPT,
      load: readBundle,
    }),
  };
}

/** Reads the package's bundle for browsers, whose path the package does not export. */
function readBundle(): Buffer {
  return readFileSync(
    new URL('../node_modules/@scalar/api-reference/dist/browser/standalone.js', import.meta.url),
  );
}
