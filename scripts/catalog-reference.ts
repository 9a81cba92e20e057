// Writes the documents about the files of gatewayctl, from their schemas: `npm run catalog-reference`.
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { gatewayFile } from '../packages/cli/src/apply/gateway-file.ts';
import { catalogDocument } from '../packages/shared/src/index.ts';
import { describeMembers } from './catalog-reference/describe-members.ts';
import { referencePage } from './catalog-reference/reference-page.ts';

/** Returns the text of each document by its path. */
export function catalogReference(): Record<string, string> {
  const schema = z.toJSONSchema(catalogDocument, { io: 'input' });
  const gateway = z.toJSONSchema(gatewayFile, { io: 'input' });
  return {
    'docs/catalog-file.md': referencePage(describeMembers(schema)),
    'docs/catalog-file.schema.json': jsonText({ title: 'Catalog of Model Gateway', ...schema }),
    'docs/gateway-file.schema.json': jsonText({ title: 'File of gatewayctl apply', ...gateway }),
  };
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(catalogReference())) {
    writeFileSync(new URL(`../${path}`, import.meta.url), text);
  }
}
