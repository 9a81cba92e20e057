// Writes the documents about the catalog file, from its schema: `npm run catalog-reference`.
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { catalogDocument } from '../packages/shared/src/index.ts';
import { describeMembers } from './catalog-reference/describe-members.ts';
import { referencePage } from './catalog-reference/reference-page.ts';

/** Returns the text of each document by its path. */
export function catalogReference(): Record<string, string> {
  const schema = z.toJSONSchema(catalogDocument, { io: 'input' });
  return {
    'docs/catalog-file.md': referencePage(describeMembers(schema)),
    'docs/catalog-file.schema.json': `${JSON.stringify({ title: 'Catalog of Model Gateway', ...schema }, null, 2)}\n`,
  };
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(catalogReference())) {
    writeFileSync(new URL(`../${path}`, import.meta.url), text);
  }
}
