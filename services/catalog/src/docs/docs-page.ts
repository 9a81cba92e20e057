/** The page's own files, relative to /docs, so that the page also works below a further path. */
export const BUNDLE_FILE = 'api-reference.js';
export const START_FILE = 'start.js';

/**
 * Only this origin: the page loads nothing from elsewhere and sends nothing elsewhere. Styles are set by
 * script.
 */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Model Gateway API</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The same as JSON: <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/${BUNDLE_FILE}"></script>
<script src="docs/${START_FILE}"></script>
</body>
</html>
`;

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
