// Writes the dashboard of Grafana, and the rules of Prometheus as a manifest for Kubernetes: `npm run
// monitoring`.
import { writeFileSync } from 'node:fs';
import { monitoringFiles } from './monitoring/written-files.ts';

for (const [path, text] of Object.entries(monitoringFiles())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
}
