// Writes the rules of Prometheus as a manifest for Kubernetes: `npm run monitoring`.
import { writeFileSync } from 'node:fs';
import { MANIFEST_FILE, rulesManifest } from './monitoring/prometheus-rules.ts';

writeFileSync(new URL(`../${MANIFEST_FILE}`, import.meta.url), rulesManifest());
