/** Files of the page, relative to /docs, so that the page also works behind a path prefix. */
export const BUNDLE_FILE = 'api-reference.js';
export const START_FILE = 'start.js';

export interface PageTexts {
  title: string;
  /** Relative URL of the documentation, linked at the top; undefined: there is none. */
  guide?: string | undefined;
}

export const referencePage = ({ guide, title }: PageTexts) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
</head>
${guide === undefined ? '<body>' : linkTo(guide)}
<div id="reference"></div>
<noscript>This page needs JavaScript. The same as JSON: <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/${BUNDLE_FILE}"></script>
<script src="docs/${START_FILE}"></script>
</body>
</html>
`;

/** Returns the link. Its custom property keeps the sidebar of the page below it. */
const linkTo = (guide: string) => `<style>
:root { --scalar-custom-header-height: 40px; }
nav { height: 40px; line-height: 40px; padding: 0 24px; font: 15px/40px system-ui, sans-serif; }
nav a { color: inherit; }
@media (prefers-color-scheme: dark) { nav { color: #eee; background: #0f0f0f; } }
</style>
<body>
<nav><a href="${guide}">Documentation</a></nav>`;

/**
 * Everything that would call a foreign host is off: fonts, proxy, telemetry, and the maker's assistant and
 * hosted client.
 */
const CONFIGURATION = {
  url: 'openapi.json',
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  modelsSectionLabel: 'Schemas',
  persistAuth: false,
  documentDownloadType: 'direct',
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
};

export const START_SCRIPT = `Scalar.createApiReference('#reference', ${JSON.stringify(CONFIGURATION)});\n`;
