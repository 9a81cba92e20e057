// Writes the documents about the catalog file, from its schema: `npm run catalog-reference`.
import { writeFileSync } from 'node:fs';
import { catalogReference } from './catalog-reference/written-files.ts';

for (const [path, text] of Object.entries(catalogReference())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
}
